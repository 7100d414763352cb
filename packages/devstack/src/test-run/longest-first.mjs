import { statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import slowFiles from './slow-files.json' with { type: 'json' };

/**
 * The order of the test files: the longest first, so that no worker runs a long file at the end while the others are idle. A clean
 * checkout has no measurements of an earlier run, so slow files are listed with their seconds in `slow-files.json` (`npm test` prints
 * the slowest files at its end); the others are ordered by size. Files without servers have a higher weight there than their duration,
 * and files with many connections a lower one, so that those with the most connections don't run at the same time. Plain JavaScript
 * with a default export, since jest loads it.
 */
export default function longestFirst() {
  return {
    sort: (tests) => [...tests].sort((a, b) => weightOf(b) - weightOf(a)),
    shard: (tests, { shardIndex, shardCount }) => tests.filter((_, i) => i % shardCount === shardIndex - 1),
    allFailedTests: (tests) => tests,
    cacheResults: () => undefined,
  };
}

/** Seconds. Unlisted files weigh less than all listed ones. */
function weightOf({ path, context }) {
  const name = relative(context.config.rootDir, path).split(sep).join('/');
  return slowFiles[name] ?? statSync(path).size / 1_000_000;
}
