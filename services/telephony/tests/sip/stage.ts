import assert from 'node:assert/strict';
import { freePort } from '@parley/testkit';
import { type Sipp, type SippOptions, startSipp } from '@parley/testkit/sip';
import type { LegEvent, RingListener } from '../../src/carriers/call-control.ts';
import { dial, type SipProcess, type SipWorld, sipProcess, sipWorld, trunkAt, watch } from './sip-process.ts';

/** Two processes of a platform, of which the first is called in at a port, and sipp as their far end. */
export type Stage = {
  world: SipWorld;
  here: SipProcess;
  other: SipProcess;
  /** At which `here` listens over TCP. */
  port: number;
  /** What decides about calls that come in; by default they are taken. */
  takes: { listener: RingListener };
  sipp(options: SippOptions): Promise<Sipp>;
  close(): Promise<void>;
};

/** A scenario with its verdict: rejects if it went otherwise. `isCore`: part of `npm test`. */
export type Scenario = { name: string; isCore: boolean; run(stage: Stage): Promise<void> };

export async function openStage(): Promise<Stage> {
  const world = sipWorld();
  const port = await freePort();
  const here = sipProcess(world, { listeners: [{ transport: 'tcp', host: '127.0.0.1', port }] });
  const other = sipProcess(world);
  const peers: Sipp[] = [];
  const takes: Stage['takes'] = { listener: async () => true };
  here.carrier.receive((ring) => takes.listener(ring), here.lifecycle);
  return {
    world,
    here,
    other,
    port,
    takes,
    sipp: async (options) => {
      const peer = await startSipp({ timeoutSeconds: 30, ...options });
      peers.push(peer);
      return peer;
    },
    close: async () => {
      await Promise.all(peers.map((peer) => peer.stop()));
      await Promise.all([here.stop(), other.stop()]);
    },
  };
}

type Ended = Extract<LegEvent, { type: 'ended' }>;
type Dialled = Awaited<ReturnType<typeof dial>>;

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
  steps: SippOptions['steps'];
  ends: Partial<Ended>;
  credentials?: { username: string; password: string };
  act?: (call: Dialled, stage: Stage) => Promise<void>;
  sipp?: Partial<SippOptions>;
};

/** A call to sipp that ends in a certain way. */
export function outbound(
  name: string,
  { steps, ends, credentials, act, sipp = {} }: Outbound,
  isCore = false,
): Scenario {
  return {
    name,
    isCore,
    run: async (stage) => {
      const peer = await stage.sipp({ steps, ...sipp });
      const call = await dial(stage.here, trunkAt(peer.port, credentials ?? null));
      await act?.(call, stage);
      matches(await call.until('ended'), ends);
      await wentWell(peer);
      assert.equal(call.events.filter(({ type }) => type === 'ended').length, 1);
      stage.here.carrier.detach(call.reference);
    },
  };
}

type Inbound = {
  steps: SippOptions['steps'];
  /** The reference of the call, once it has been offered. */
  act?: (heard: ReturnType<typeof watch> & { reference: string }, stage: Stage) => Promise<void>;
  credentials?: { username: string; password: string };
  /** The trunk's host: by default the one that sipp calls from. */
  host?: string;
  takes?: boolean;
  isOffered?: boolean;
  sipp?: Partial<SippOptions>;
};

export const CALLED = '+12025550123';
export const CALLER = '+12025550177';

/** A call of sipp to a number of ours. */
export function inbound(name: string, options: Inbound, isCore = false): Scenario {
  const {
    steps,
    act,
    credentials = null,
    host = '127.0.0.1',
    takes = true,
    isOffered = true,
    sipp = {},
  } = options;
  return {
    name,
    isCore,
    run: async (stage) => {
      const trunk = { host, port: null, transport: 'tcp' as const, credentials };
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
      const peer = await stage.sipp({ steps, target: `127.0.0.1:${stage.port}`, ...sipp });
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
