import assert from 'node:assert/strict';
import type { Sipp, SippOptions } from '@parley/testkit/sip';
import type { LegEvent, RingListener } from '../../src/carriers/call-control.ts';
import type { SipSettings } from '../../src/carriers/sip/sip-carrier.ts';
import { dial, type SipProcess, type SipWorld, sipProcess, sipWorld, trunkAt, watch } from './sip-process.ts';
import type { RunningProxy } from './tls-proxy.ts';
import { type OpenTopology, openTopology, type Topology } from './topology.ts';

/** Two processes of a platform, of which the first is called in at a port, and sipp as their far end, in one topology. */
export type Stage = {
  topology: Topology;
  transport: OpenTopology['transport'];
  world: SipWorld;
  here: SipProcess;
  other: SipProcess;
  /** At which `here` is called. */
  port: number;
  /** What decides about calls that come in; by default they are taken. */
  takes: { listener: RingListener };
  sipp(options: SippOptions): Promise<Sipp>;
  /** The trunk of a sipp, and the address of a person there. */
  trunk(port: number, credentials?: Credentials | null): ReturnType<typeof trunkAt>;
  destination(port: number): string;
  /** A port that leads to a sipp even if the process dies that called it. */
  relay(port: number): Promise<RunningProxy>;
  /** Another process, which the scenario stops. */
  process(settings?: Partial<SipSettings>): SipProcess;
  close(): Promise<void>;
};

type Credentials = { username: string; password: string };

/** A scenario with its verdict: rejects if it went otherwise. */
export type Scenario = {
  name: string;
  /** Part of `npm test`. */
  isCore: boolean;
  /** In which it makes sense; by default in all. */
  topologies?: readonly Topology[] | undefined;
  run(stage: Stage): Promise<void>;
};

/** Over a connection of the process itself. */
export const DIRECT: readonly Topology[] = ['tcp', 'tls'];

export async function openStage(topology: Topology = 'tcp'): Promise<Stage> {
  const world = sipWorld();
  const opened = await openTopology(topology);
  const { transport, settings, calledSettings, port } = opened;
  const process: Stage['process'] = (more = {}) => sipProcess(world, { ...settings, ...more });
  const here = process(calledSettings);
  const other = process();
  const peers: Sipp[] = [];
  const takes: Stage['takes'] = { listener: async () => true };
  here.carrier.receive((ring) => takes.listener(ring), here.lifecycle);
  await opened.ready();
  return {
    topology,
    transport,
    world,
    here,
    other,
    port,
    takes,
    sipp: async (options) => {
      const peer = await opened.sipp({ timeoutSeconds: 30, ...options });
      peers.push(peer);
      return peer;
    },
    trunk: (at, credentials = null) => trunkAt(at, credentials, transport),
    destination: (at) => `sip:desk@127.0.0.1:${at};transport=${transport}`,
    relay: opened.relay,
    process,
    close: async () => {
      await Promise.all(peers.map((peer) => peer.stop()));
      await Promise.all([here.stop(), other.stop()]);
      await opened.close();
    },
  };
}

/** What sipp does and expects, which may depend on the topology. */
type Steps = SippOptions['steps'] | ((topology: Topology) => SippOptions['steps']);
const stepsIn = (topology: Topology, steps: Steps): SippOptions['steps'] =>
  typeof steps === 'function' ? steps(topology) : steps;

type Ended = Extract<LegEvent, { type: 'ended' }>;
type Dialed = Awaited<ReturnType<typeof dial>>;

/** sipp followed its scenario to the end. */
export async function wentWell(peer: Sipp): Promise<void> {
  const { code, errors } = await peer.exited;
  assert.equal(code, 0, `sipp strayed from its scenario: ${errors.slice(0, 1_500)}`);
}

export function matches(actual: object, expected: object): void {
  for (const [key, value] of Object.entries(expected))
    assert.deepEqual((actual as Record<string, unknown>)[key], value, `${key} of ${JSON.stringify(actual)}`);
}

type Outbound = {
  steps: Steps;
  ends: Partial<Ended>;
  credentials?: Credentials;
  topologies?: readonly Topology[];
  act?: (call: Dialed, stage: Stage) => Promise<void>;
  sipp?: Partial<SippOptions>;
};

/** A call to sipp that ends in a certain way. */
export function outbound(
  name: string,
  { steps, ends, credentials, topologies, act, sipp = {} }: Outbound,
  isCore = false,
): Scenario {
  return {
    name,
    isCore,
    topologies,
    run: async (stage) => {
      const peer = await stage.sipp({ steps: stepsIn(stage.topology, steps), ...sipp });
      const call = await dial(stage.here, stage.trunk(peer.port, credentials));
      await act?.(call, stage);
      matches(await call.until('ended'), ends);
      await wentWell(peer);
      assert.equal(call.events.filter(({ type }) => type === 'ended').length, 1);
      stage.here.carrier.detach(call.reference);
    },
  };
}

type Inbound = {
  steps: Steps;
  /** The reference of the call, once it has been offered. */
  act?: (heard: ReturnType<typeof watch> & { reference: string }, stage: Stage) => Promise<void>;
  credentials?: Credentials;
  topologies?: readonly Topology[];
  /** The trunk's host: by default the one that sipp calls from. */
  host?: string;
  takes?: boolean;
  isOffered?: boolean;
  sipp?: Partial<SippOptions>;
};

/** The other process continues a call. */
export async function continueCall({ other, world }: Pick<Stage, 'other' | 'world'>, reference: string) {
  const heard = watch(other.carrier, reference);
  const state = world.states.get(reference);
  assert.equal(await other.carrier.attach(reference, { humanTurns: 0, lastSpeaker: null, state }), true);
  return heard;
}

export const CREDENTIALS = { username: 'alice', password: 'wonderland' };
export const CALLED = '+12025550123';
export const CALLER = '+12025550177';

/** A call of sipp to a number of ours. */
export function inbound(name: string, options: Inbound, isCore = false): Scenario {
  const {
    steps,
    act,
    topologies,
    credentials = null,
    host = '127.0.0.1',
    takes = true,
    isOffered = true,
    sipp = {},
  } = options;
  return {
    name,
    isCore,
    topologies,
    run: async (stage) => {
      const trunk = { host, port: null, transport: stage.transport, credentials };
      stage.world.numbers = [
        { numberId: 'number', workspaceId: 'workspace', phoneNumber: CALLED, isActive: true, trunk },
      ];
      let offer: (reference: string) => void = () => {};
      const offered = new Promise<string>((resolve) => {
        offer = resolve;
      });
      stage.takes.listener = async (ring) => {
        if (takes) offer(ring.reference);
        return takes;
      };
      const target = `127.0.0.1:${stage.port}`;
      const peer = await stage.sipp({ steps: stepsIn(stage.topology, steps), target, ...sipp });
      if (takes && isOffered) {
        const reference = await offered;
        const heard = { ...watch(stage.here.carrier, reference), reference };
        assert.equal(
          await stage.here.carrier.attach(reference, { humanTurns: 0, lastSpeaker: null, state: null }),
          true,
        );
        await act?.(heard, stage);
        await wentWell(peer);
        stage.here.carrier.detach(reference);
      } else await wentWell(peer);
    },
  };
}
