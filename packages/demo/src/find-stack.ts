import {
  answersOk,
  type Demo,
  demoFile,
  inStack,
  Problem,
  readEnvironment,
  readJsonFile,
} from '@parley/devstack';
import { type Clock, createClock } from '@parley/kit/time';

/** The running stack of this folder. */
export type RunningStack = { gatewayUrl: string; demo: Demo; clock: Clock };

/** Finds the running stack, or throws a `Problem` that says what to do. */
export async function findStack(): Promise<RunningStack> {
  const { gatewayUrl, services } = readEnvironment();
  if (!(await answersOk(`${gatewayUrl}/healthz`))) {
    throw new Problem(`No response from ${gatewayUrl}. Start Parley first, in another terminal: npm start`);
  }
  const demo = readJsonFile(inStack('demo.json'), demoFile);
  if (!demo) {
    throw new Problem('Parley is still starting. Try again once it is ready.');
  }
  const { CLOCK_RATE, CLOCK_ORIGIN_MS } = services.campaigns;
  const clock = createClock({ rate: Number(CLOCK_RATE ?? 1), originMs: Number(CLOCK_ORIGIN_MS ?? 0) });
  return { gatewayUrl, demo, clock };
}
