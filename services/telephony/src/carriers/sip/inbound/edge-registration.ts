import { randomUUID } from 'node:crypto';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { C, type IncomingResponse } from 'sip.js/lib/core/index.js';
import type { SipConnection } from '../signalling/connection.ts';
import { EDGE_DOMAIN, REGISTRATION_SECONDS, WORKERS_USER } from '../signalling/edge.ts';
import type { Edge } from '../signalling/find-edges.ts';
import type { Flow } from '../signalling/flow.ts';
import { createLegCore, type LegCore, toUri } from '../signalling/leg-core.ts';
import type { Signalling } from '../signalling/signalling.ts';

type Deps = {
  signalling: Signalling;
  workerId: string;
  /** How many more calls this worker may carry. */
  freeCalls: () => number;
  /** Called repeatedly with the number of known edges, and at how many of them this worker is registered. */
  onEdges: (count: { known: number; registered: number }) => void;
  log: Log;
  lifecycle: Lifecycle;
};

const CHECK_EVERY_MS = 500;
const REFRESH_EVERY_MS = 20_000;
const RETRY_MS = 1_000;
const RESPONSE_TIMEOUT_MS = 4_000;
/** An edge that starts with its workers, or starts again, is there before. */
const FAULT_LASTS_MS = 30_000;
/** A contact's `q` has three decimals. */
const MAX_FREE_CALLS = 1_000;

/**
 * Registers this worker at every edge, with its free capacity, until the lifecycle stops [sip.40]; also at edges that come up later. An edge that is no
 * longer among the addresses sends no new calls.
 */
export function keepRegistered(deps: Deps): void {
  const { signalling, onEdges, log, lifecycle } = deps;
  const registrations = new Map<string, Registration>();
  const missing = createFaultLog(log, 'no SIP edge can be found: the name does not resolve');
  let isStopped = false;

  const count = (): void => {
    const all = [...registrations.values()];
    // If the name does not resolve, one edge counts as missing.
    onEdges({ known: Math.max(1, all.length), registered: all.filter(({ isUp }) => isUp()).length });
  };

  const look = async (): Promise<void> => {
    const edges = await signalling.findEdges();
    if (isStopped) return;
    if (edges.length === 0) missing.note({});
    else missing.clear();
    for (const [url, registration] of registrations)
      if (!edges.some((edge) => edge.url === url)) {
        registrations.delete(url);
        void registration.stop();
      }
    for (const edge of edges)
      if (!registrations.has(edge.url)) registrations.set(edge.url, registerAt(deps, edge, count));
    count();
    setTimeout(() => void look(), CHECK_EVERY_MS).unref();
  };

  lifecycle.onStop('registration at SIP edges', async () => {
    isStopped = true;
    await Promise.all([...registrations.values()].map(({ stop }) => stop()));
  });
  void look();
}

type Registration = { isUp(): boolean; stop(): Promise<void> };

function registerAt(
  { signalling, workerId, freeCalls, log }: Deps,
  edge: Edge,
  changed: () => void,
): Registration {
  const callId = randomUUID();
  let link: { connection: SipConnection; flow: Flow; legCore: LegCore; unregister: () => void } | undefined;
  let cseq = 0;
  let registered: { calls: number; atMs: number } | undefined;
  let isStopped = false;
  const unreachable = createFaultLog(log, 'the SIP edge cannot be reached: no calls come in by it');

  const unlink = (): void => {
    link?.unregister();
    link?.legCore.dispose();
    link?.flow.close();
    link = undefined;
  };

  const open = async (): Promise<NonNullable<typeof link>> => {
    const connection = await signalling.connections.toEdge(edge);
    if (link?.connection === connection) return link;
    unlink();
    const flow = await signalling.openFlow({ via: 'edge', edge: edge.url }, null, connection);
    const legCore = createLegCore({ flow, user: workerId, credentials: () => null });
    const unregister = signalling.router.register(callId, { callId: null, receive: legCore.receive });
    link = { connection, flow, legCore, unregister };
    return link;
  };

  const register = async (calls: number): Promise<void> => {
    const { connection, flow, legCore } = await open();
    cseq += 1;
    const expires = calls > 0 ? REGISTRATION_SECONDS : 0;
    const contact = `Contact: <${flow.contactUri(workerId)}>;q=${(calls / MAX_FREE_CALLS).toFixed(3)};expires=${expires}`;
    const who = toUri(`sip:${WORKERS_USER}@${EDGE_DOMAIN}`);
    const request = legCore.core.makeOutgoingRequestMessage(
      C.REGISTER,
      toUri(`sip:${EDGE_DOMAIN}`),
      who,
      who,
      { callId, cseq },
      [contact],
    );
    await new Promise<void>((resolve, reject) => {
      const late = (): void => {
        // It does not read, or its machine is down: calls take another edge.
        connection.close();
        reject(new Error('The edge did not respond'));
      };
      const timer = setTimeout(late, RESPONSE_TIMEOUT_MS);
      const done = (act: () => void) => (): void => {
        clearTimeout(timer);
        act();
      };
      const refuse = ({ message }: IncomingResponse): void =>
        done(() => reject(new Error(`The edge responded ${message.statusCode}`)))();
      legCore.core.register(request, { onAccept: done(resolve), onReject: refuse, onRedirect: refuse });
    });
  };

  const tick = async (): Promise<void> => {
    const calls = Math.max(0, Math.min(MAX_FREE_CALLS, Math.floor(freeCalls())));
    const isOpen = link?.connection.isOpen ?? false;
    const isFresh = registered?.calls === calls && performance.now() - registered.atMs < REFRESH_EVERY_MS;
    if (isOpen && isFresh) return;
    await register(calls);
    registered = { calls, atMs: performance.now() };
    if (unreachable.clear()) log.info({ edge: edge.url }, 'the SIP edge is back');
    changed();
  };

  const loop = (): void => {
    if (isStopped) return;
    tick().then(
      () => setTimeout(loop, CHECK_EVERY_MS).unref(),
      (err: unknown) => {
        if (!isStopped) unreachable.note({ err, edge: edge.url });
        registered = undefined;
        changed();
        setTimeout(loop, RETRY_MS).unref();
      },
    );
  };
  loop();

  return {
    isUp: () => registered !== undefined && (link?.connection.isOpen ?? false),
    async stop() {
      isStopped = true;
      await register(0).catch(() => {});
      unlink();
    },
  };
}

/** Logs a fault as a warning when it begins, and as an error if it lasts. `clear` returns whether there was one. */
function createFaultLog(log: Log, message: string) {
  let sinceMs: number | undefined;
  let isError = false;
  return {
    note(fields: object): void {
      const nowMs = performance.now();
      if (sinceMs === undefined) log.warn(fields, message);
      sinceMs ??= nowMs;
      if (isError || nowMs - sinceMs < FAULT_LASTS_MS) return;
      isError = true;
      log.error(fields, message);
    },
    clear(): boolean {
      const wasThere = sinceMs !== undefined;
      sinceMs = undefined;
      isError = false;
      return wasThere;
    },
  };
}
