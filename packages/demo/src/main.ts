import { ParleyError } from '@parley/client';
import { createReleases, Problem, runScript, untilStopRequested } from '@parley/devstack';
import { findStack } from './find-stack.ts';
import { runDemo } from './run-demo.ts';

// `npm run demo`: the main use case as a client of the public API [running.8].
const STOPPED = 130;

runScript(async () => {
  const stopping = new AbortController();
  void untilStopRequested().then((reason) => stopping.abort(new Error(`stop requested: ${reason}`)));
  const releases = createReleases();
  try {
    return (await runDemo(await findStack(), stopping.signal, releases)) ? 0 : 1;
  } catch (error) {
    if (error instanceof ParleyError)
      throw new Problem(`The platform responded with ${error.code}: ${error.message}`, { cause: error });
    if (!stopping.signal.aborted) throw error;
    process.stdout.write('\nStopping …\n');
    return STOPPED;
  } finally {
    await releases.run();
  }
});
