import { whenToldToStop } from '../processes/on-stop.ts';
import { createReleases } from '../processes/releases.ts';
import { runScript } from '../terminal/run-script.ts';
import { runDemo } from './run-demo.ts';

// `npm run demo`: the main job from outside, as a client of the public API. spec: D11
const STOPPED = 130;

runScript(async () => {
  const stopping = new AbortController();
  void whenToldToStop().then((reason) => stopping.abort(new Error(`told to stop: ${reason}`)));
  const releases = createReleases();
  try {
    return (await runDemo(stopping.signal, releases)) ? 0 : 1;
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    process.stdout.write('\nStopping …\n');
    return STOPPED;
  } finally {
    await releases.run();
  }
});
