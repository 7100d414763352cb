import testFiles from './test-files.json' with { type: 'json' };

/**
 * Which test files run side by side, so that two cores are busy and no file starves another. A run has four workers:
 *
 * - `platform`: boots all services, most of them with a browser, and waits half of the time. One at a time.
 * - `waiting`: waits for clocks and for calls in real time, and uses little of a core. Two at a time while there are others.
 * - `busy`: all others, which use half of a core: most send one request after another to a service and its database. All other workers.
 */
export type Lane = 'platform' | 'waiting' | 'busy';

const LANES: readonly Lane[] = ['platform', 'waiting', 'busy'];
const MAX_WAITING = 2;

/** Files with their seconds in CI, as `npm test` prints them at its end. Those that are not listed are busy, and quick. */
export const listedFiles: Readonly<Record<Lane, Readonly<Record<string, number>>>> = testFiles;

export function laneOf(file: string): Lane {
  return LANES.find((lane) => Object.hasOwn(listedFiles[lane], file)) ?? 'busy';
}

/** 0: not listed. */
export function secondsOf(file: string): number {
  return listedFiles[laneOf(file)][file] ?? 0;
}

/** The lane that a free worker takes its next file from; undefined: none has a file that may start beside the running ones. */
export function nextLane(running: readonly Lane[], left: Readonly<Record<Lane, number>>): Lane | undefined {
  const count = (lane: Lane): number => running.filter((other) => other === lane).length;
  if (left.platform > 0 && count('platform') === 0) return 'platform';
  if (left.waiting > 0 && count('waiting') < MAX_WAITING) return 'waiting';
  if (left.busy > 0) return 'busy';
  return left.waiting > 0 && left.platform === 0 ? 'waiting' : undefined;
}

/** Starts every file when its lane and the number of workers allow; resolves when all have ended. */
export function runInLanes<File>(
  queues: Readonly<Record<Lane, File[]>>,
  { workers, run }: { workers: number; run: (file: File) => Promise<unknown> },
): Promise<void> {
  const running: Lane[] = [];
  return new Promise((resolve, reject) => {
    const start = (lane: Lane, file: File): void => {
      running.push(lane);
      run(file).then(() => {
        running.splice(running.indexOf(lane), 1);
        fill();
      }, reject);
    };
    const fill = (): void => {
      while (running.length < workers) {
        const { platform, waiting, busy } = queues;
        const left = { platform: platform.length, waiting: waiting.length, busy: busy.length };
        const lane = nextLane(running, left);
        const file = lane && queues[lane].shift();
        if (!lane || file === undefined) break;
        start(lane, file);
      }
      if (running.length === 0) resolve();
    };
    fill();
  });
}
