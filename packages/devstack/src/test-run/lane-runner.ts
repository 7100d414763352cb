import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { relative, sep } from 'node:path';
import type { Test, TestRunnerOptions, TestWatcher } from 'jest-runner';
import { type Lane, laneOf, runInLanes, secondsOf } from './lanes.ts';

// Its types describe what `require` returns.
const { default: TestRunner }: typeof import('jest-runner') = createRequire(import.meta.url)('jest-runner');

/** jest's runner, which starts the test files in lanes instead of in the order of a list. */
export default class LaneRunner extends TestRunner {
  override runTests(tests: Test[], watcher: TestWatcher, options: TestRunnerOptions): Promise<void> {
    const workers = this._globalConfig.maxWorkers;
    return super.runTests(options.serial ? tests : inLanes(tests, workers), watcher, options);
  }
}

/** jest gives each file to a worker in a callback of `map`. */
function inLanes(tests: readonly Test[], workers: number): Test[] {
  const map = (run: (test: Test) => Promise<unknown>) => [runInLanes(queuesOf(tests), { workers, run })];
  return Object.assign([...tests], { map });
}

/** In each lane the slowest first; those without a known time are ordered by size. */
function queuesOf(tests: readonly Test[]): Record<Lane, Test[]> {
  const known = tests.map((test) => {
    const file = relative(test.context.config.rootDir, test.path).split(sep).join('/');
    return { test, lane: laneOf(file), seconds: secondsOf(file), bytes: statSync(test.path).size };
  });
  known.sort((a, b) => b.seconds - a.seconds || b.bytes - a.bytes);
  const queueOf = (lane: Lane): Test[] => known.filter((one) => one.lane === lane).map(({ test }) => test);
  return { platform: queueOf('platform'), waiting: queueOf('waiting'), busy: queueOf('busy') };
}
