import { readFile } from 'node:fs/promises';
import { kamailio, startEdge } from '@parley/sip-edge/testing';
import { eventually, freePort } from '@parley/testkit';
import { pause, type Sipp, type SippOptions, type Step, startSipp } from '@parley/testkit/sip';
import type { SipSettings } from '../../src/carriers/sip/sip-carrier.ts';
import { createAuthority } from './certificates.ts';
import { openRelay } from './relay.ts';
import { decryptingProxy, encryptingProxy, type RunningProxy, type Secrets } from './tls-proxy.ts';

/** How processes and trunk are connected: directly over TCP or TLS, or over UDP by the edge (Kamailio). */
export type Topology = 'tcp' | 'tls' | 'edge';
export const TOPOLOGIES: readonly Topology[] = ['tcp', 'tls', 'edge'];

/** The edge needs Kamailio. */
export const isTopologyInstalled = (topology: Topology): boolean =>
  topology !== 'edge' || kamailio !== undefined;

export type OpenTopology = {
  transport: 'tcp' | 'tls' | 'udp';
  /** What all processes need, and what the one needs that is called. */
  settings: Partial<SipSettings>;
  calledSettings: Partial<SipSettings>;
  /** Where calls come in. */
  port: number;
  /** Resolves once calls come in. */
  ready(): Promise<void>;
  sipp(options: SippOptions): Promise<Sipp>;
  /** A port that leads to sipp even if the process dies that called it. */
  relay(port: number): Promise<RunningProxy>;
  close(): Promise<void>;
};

/** A name whose servers a scenario chooses. */
export const NAMED_TRUNK = 'trunk.parley.example';

export const openTopology = (topology: Topology): Promise<OpenTopology> =>
  ({ tcp: openTcp, tls: openTls, edge: openEdge })[topology]();

async function openTcp(): Promise<OpenTopology> {
  const port = await freePort();
  return {
    transport: 'tcp',
    settings: {},
    calledSettings: { listeners: [{ transport: 'tcp', host: '127.0.0.1', port }] },
    port,
    ready: async () => {},
    sipp: startSipp,
    relay: openRelay,
    close: async () => {},
  };
}

async function openTls(): Promise<OpenTopology> {
  const authority = await createAuthority();
  const issued = await authority.issue(['127.0.0.1', NAMED_TRUNK]);
  const [cert, key] = await Promise.all([readFile(issued.cert, 'utf8'), readFile(issued.key, 'utf8')]);
  const secrets: Secrets = { cert, key, ca: authority.pem };
  const port = await freePort();
  return {
    transport: 'tls',
    settings: { ca: [authority.pem] },
    calledSettings: { listeners: [{ transport: 'tls', host: '127.0.0.1', port, cert, key }] },
    port,
    ready: async () => {},
    sipp: (options) => sippOverTls(options, secrets),
    relay: (target) => openRelay(target, secrets),
    close: authority.remove,
  };
}

/** Its messages say TLS, and the port of its proxy. */
async function sippOverTls(options: SippOptions, secrets: Secrets): Promise<Sipp> {
  const { target } = options;
  const say = (what: string, port: number): Step[] =>
    options.steps.map((step) =>
      encrypted(step).replaceAll('[transport]', 'TLS').replaceAll(what, String(port)),
    );
  if (target !== undefined) {
    const called = Number(target.split(':')[1]);
    const proxy = await encryptingProxy(called, secrets);
    const steps = say('[remote_port]', called);
    const peer = await startSipp({ ...options, steps, target: `127.0.0.1:${proxy.port}` });
    void peer.exited.then(proxy.close);
    return peer;
  }
  const port = await freePort();
  const peer = await startSipp({ ...options, steps: say('[local_port]', port) });
  const proxy = await decryptingProxy(peer.port, secrets, port);
  void peer.exited.then(proxy.close);
  return { ...peer, port };
}

/** A TLS trunk encrypts its audio. sipp sends none here, and does not use the key. */
const KEY = Buffer.alloc(30, 7).toString('base64');
function encrypted(step: Step): Step {
  const crypto = `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`;
  return step.replace(/^(m=audio \S+ RTP\/)AVP (.*)$/gm, `$1SAVP $2\n${crypto}`);
}

async function openEdge(): Promise<OpenTopology> {
  const [port, internalPort] = [await freePort(), await freePort()];
  const edge = await startEdge({
    address: '127.0.0.1',
    port,
    internalAddress: '127.0.0.1',
    internalPort,
    privateNetworks: ['127.0.0.0/8'],
  });
  const internal = `127.0.0.1:${internalPort}`;
  return {
    transport: 'udp',
    settings: { edgeUrls: [`ws://${internal}`] },
    calledSettings: {},
    port,
    ready: async () => {
      await eventually(async () => {
        const { ok, status } = await fetch(`http://${internal}/readyz`);
        if (!ok) throw new Error(`the edge responds ${status}`);
      });
    },
    sipp: async ({ steps, ...options }) => {
      // What the edge knows of trunks it forgets within minutes.
      if (options.target !== undefined)
        await fetch(`http://${internal}/sources`, { method: 'PUT', body: '127.0.0.1' });
      return startSipp({ transport: 'u1', steps: spaced(routed(steps)), ...options });
    },
    // The edge speaks to sipp whichever process has the call.
    relay: async (target) => ({ port: target, close: () => {} }),
    close: edge.stop,
  };
}

/** Packets of UDP that are sent in the same instant may pass each other: Kamailio's processes take them in turns. A trunk leaves time between them. */
const SPACE_MS = 50;
const spaced = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step, n) =>
    step.startsWith('<send') && steps[n - 1]?.startsWith('<send') ? [pause(SPACE_MS), step] : [step],
  );

/** What sipp keeps of an INVITE by the edge, besides what it keeps of each. */
const KEPT = [
  ['via2', 'Via', 2, '.*'],
  ['route', 'Record-Route', 1, '.*'],
  ['route2', 'Record-Route', 2, '.*'],
  ['contact', 'Contact', 1, 'sip:[^>]*'],
] as const;

/**
 * Of several headers of a kind sipp keeps one. By the edge a late response to the INVITE needs all, and requests of sipp go to the Contact that
 * came last: the edge brings them to the process that has the call by then.
 */
function routed(steps: readonly Step[]): Step[] {
  const keep = KEPT.map(
    ([name, header, occurrence, what]) =>
      `<ereg regexp="${what}" search_in="hdr" header="${header}:" occurrence="${occurrence}" assign_to="${name}"/>`,
  );
  const isCalled = steps.some((step) => step.includes('assign_to="via"'));
  if (!isCalled) return [...steps];
  const changed = steps.map((step) =>
    step
      .replace('assign_to="via"/></action>', `assign_to="via"/>${keep.join('')}</action>`)
      .replace('Via:[$via]', 'Via:[$via]\nVia:[$via2]\nRecord-Route:[$route]\nRecord-Route:[$route2]')
      .replace('[next_url]', '[$contact]'),
  );
  return [...changed, `<Reference variables="${KEPT.map(([name]) => name)}"/>`];
}
