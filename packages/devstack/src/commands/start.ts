import { join } from 'node:path';
import { takeLock } from '../processes/lock-file.ts';
import { untilStopRequested } from '../processes/on-stop.ts';
import { createReleases } from '../processes/releases.ts';
import { bringUp } from '../stack/bring-up.ts';
import { inStack, openStackFolder, ROOT, START_MARKER } from '../stack/folders.ts';
import { isSpoken, leftOut, wantsSip } from '../stack/left-out.ts';
import { Problem } from '../terminal/problem.ts';
import { runScript } from '../terminal/run-script.ts';
import { createSteps } from '../terminal/steps.ts';

// `npm start [-- --spoken] [-- --sip] [-- --without SERVICE …]`: starts the servers that the platform needs, then the platform, in the foreground until
// Ctrl-C. A service that is left out can be run from source: `npm run service -- SERVICE`.
const STOPPING_WITHIN_MS = 60_000;

runScript(async () => {
  const stopRequested = untilStopRequested();
  openStackFolder();
  const lock = takeLock(inStack('start.lock'), join(ROOT, 'packages', START_MARKER));
  if (!lock.held) {
    throw new Problem(
      `Parley is already running from this folder (process ${lock.pid}). Stop it there with Ctrl-C first.`,
    );
  }
  const steps = createSteps(process.stdout);
  const releases = createReleases();

  if (isSpoken(process.argv.slice(2))) process.env.SIMULATOR_MEDIA ??= 'wideband';
  const args = process.argv.slice(2);
  const up = bringUp(steps, releases, { without: leftOut(args), sip: wantsSip(args, process.env) });
  up.catch(() => undefined);
  try {
    await Promise.race([up, stopRequested]);
    await stopRequested;
  } finally {
    const isUp = !releases.isEmpty();
    if (isUp) steps.print('Stopping: requests in progress get up to 30 s …');
    const timer = setTimeout(() => process.exit(1), STOPPING_WITHIN_MS);
    await releases.run();
    await up.catch(() => undefined);
    clearTimeout(timer);
    lock.release();
    if (isUp) steps.print('Stopped');
  }
  return 0;
});
