import { statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import slowFiles from './slow-files.json' with { type: 'json' };

/** Seconds of a file that is not listed, on average. */
const QUICK_SECONDS = 3;
/** The number of other workers, which run quick files while one runs a slow file. */
const OTHER_WORKERS = 1;

/**
 * The order of the test files: the slowest first, each followed by as many quick ones as the other workers run meanwhile. Slow files boot
 * whole platforms and browsers, and some of them measure time: on two cores, several of them at once starve each other. A clean checkout has no
 * measurements of an earlier run, so slow files are listed with their seconds in `slow-files.json` (`npm test` prints the slowest files at
 * its end); the others are ordered by size. Plain JavaScript with a default export, since jest loads it.
 */
export default function slowAmongQuick() {
  return {
    sort: (tests) => {
      const slow = tests.filter((test) => secondsOf(test) > 0).sort((a, b) => secondsOf(b) - secondsOf(a));
      const quick = tests.filter((test) => secondsOf(test) === 0).sort((a, b) => sizeOf(b) - sizeOf(a));
      const mixed = slow.flatMap((test) => [
        test,
        ...quick.splice(0, Math.ceil((OTHER_WORKERS * secondsOf(test)) / QUICK_SECONDS)),
      ]);
      return [...mixed, ...quick];
    },
    shard: (tests, { shardIndex, shardCount }) => tests.filter((_, i) => i % shardCount === shardIndex - 1),
    allFailedTests: (tests) => tests,
    cacheResults: () => undefined,
  };
}

/** 0: not listed. */
function secondsOf({ path, context }) {
  return slowFiles[relative(context.config.rootDir, path).split(sep).join('/')] ?? 0;
}

const sizeOf = ({ path }) => statSync(path).size;
