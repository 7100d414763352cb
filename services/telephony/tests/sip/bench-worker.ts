import { percentile } from './percentile.ts';
import { sipProcess, sipWorld, trunkAt } from './sip-process.ts';

// A worker of `npm run bench -- sip` behind the edge: a process of its own that answers what comes in, and is asked about it.

export type WorkerSettings = {
  edgeUrl: string;
  numbers: readonly string[];
  /** Calls that it carries at most. */
  maxCalls: number;
  rtpPorts: { min: number; max: number };
};
/** `measure`: from now on gaps and CPU time are counted. */
export type Question = 'report' | 'measure' | 'hang up';
export type Report = {
  taken: number;
  live: number;
  /** Calls by the cause of their end. */
  ends: Record<string, number>;
  /** Since `measure`. */
  cpuMs: number;
  packetsSent: number;
  packetsReturned: number;
  gapMsP99: number;
};

const { edgeUrl, numbers, maxCalls, rtpPorts }: WorkerSettings = JSON.parse(process.argv[2] ?? '{}');
const world = sipWorld();
const { terminationUri: host, transport } = trunkAt(5_060, null, 'udp');
const trunk = { host: host.split(':')[0] ?? '', port: null, transport, credentials: null };
for (const [n, phoneNumber] of numbers.entries())
  world.numbers.push({ numberId: String(n), workspaceId: '1', phoneNumber, isActive: true, trunk });

const live = new Set<string>();
const ends: Record<string, number> = {};
const gapsMs: number[] = [];
let taken = 0;
let cpu = process.cpuUsage();
let before = { sent: 0, returned: 0 };

const settings = { edgeUrls: [edgeUrl], maxLegs: 10_000, rtpPorts };
const { carrier, lifecycle, stop } = sipProcess(world, settings, undefined, {
  freeCalls: () => maxCalls - live.size,
});
carrier.receive(async ({ reference }) => {
  live.add(reference);
  taken += 1;
  carrier.watch(reference, (event) => {
    if (event.type !== 'ended' || !live.delete(reference)) return;
    ends[event.cause] = (ends[event.cause] ?? 0) + 1;
    carrier.detach(reference);
  });
  // The leg rings once this has returned.
  setImmediate(() => {
    carrier.answer(reference).catch((err: unknown) => {
      ends[String(err)] = (ends[String(err)] ?? 0) + 1;
      live.delete(reference);
    });
  });
  return true;
}, lifecycle);

const sessions = () =>
  [...live].flatMap((reference) => {
    const media = carrier.media(reference);
    return media?.kind === 'audio' ? [media.session] : [];
  });
const packets = () => {
  const total = { sent: 0, returned: 0 };
  for (const session of sessions()) {
    const { packetsSent, packetsRejected } = session.stats();
    total.sent += packetsSent;
    // What comes back has our own source, which a line rejects as a loop.
    total.returned += packetsRejected;
  }
  return total;
};

function measure(): void {
  for (const session of sessions()) {
    let lastMs: number | undefined;
    session.onSent(() => {
      const nowMs = performance.now();
      if (lastMs !== undefined) gapsMs.push(nowMs - lastMs);
      lastMs = nowMs;
    });
  }
  before = packets();
  cpu = process.cpuUsage();
}

function report(): Report {
  const { user, system } = process.cpuUsage(cpu);
  const { sent, returned } = packets();
  return {
    taken,
    live: live.size,
    ends,
    cpuMs: (user + system) / 1_000,
    packetsSent: sent - before.sent,
    packetsReturned: returned - before.returned,
    gapMsP99: percentile(gapsMs, 0.99),
  };
}

process.on('message', (question: Question) => {
  if (question === 'measure') measure();
  const answer = report();
  if (question === 'hang up') for (const reference of live) void carrier.hangup(reference);
  process.send?.(answer);
});
process.on('disconnect', () => void stop().then(() => process.exit(0)));
