import { statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import slowFiles from './slow-files.json' with { type: 'json' };

/**
 * The order of the test files: the longest first, so that no worker is left with one at the end while the others have
 * nothing to do. A clean checkout has no measurements of an earlier run, so the slow files are written down
 * (`slow-files.json`, seconds; `npm test` prints the slowest when it is done); the others go by their size. What needs no
 * server weighs more there than it takes, and what needs many connections less, so that the hungriest don't meet.
 * Plain JavaScript, since jest loads it by itself. The default export is jest's way.
 */
export default function longestFirst() {
  return {
    sort: (tests) => [...tests].sort((a, b) => weightOf(b) - weightOf(a)),
    shard: (tests, { shardIndex, shardCount }) => tests.filter((_, i) => i % shardCount === shardIndex - 1),
    allFailedTests: (tests) => tests,
    cacheResults: () => undefined,
  };
}

/** Seconds; what isn't written down weighs less than all that is. */
function weightOf({ path, context }) {
  const name = relative(context.config.rootDir, path).split(sep).join('/');
  return slowFiles[name] ?? statSync(path).size / 1_000_000;
}
