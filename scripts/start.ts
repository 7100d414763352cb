import { chmodSync, mkdirSync } from 'node:fs';
import { takeLock } from './processes/lock-file.ts';
import { whenToldToStop } from './processes/on-stop.ts';
import { createReleases } from './processes/releases.ts';
import { bringUp } from './stack/bring-up.ts';
import { inStack, SCRIPTS_MARKER, STACK_FOLDER } from './stack/folders.ts';
import { leftOut } from './stack/left-out.ts';
import { Problem } from './terminal/problem.ts';
import { runScript } from './terminal/run-script.ts';
import { createSteps } from './terminal/steps.ts';

// `npm start [-- --without SERVICE …]`: everything that the platform needs, then the platform, in the foreground until
// Ctrl-C. A service that is left out can be run from source beside it: `npm run service -- SERVICE`. spec: D11
const STOPPING_WITHIN_MS = 60_000;

runScript(async () => {
  const told = whenToldToStop();
  mkdirSync(STACK_FOLDER, { recursive: true });
  chmodSync(STACK_FOLDER, 0o711);
  const lock = takeLock(inStack('start.lock'), `${SCRIPTS_MARKER}start.ts`);
  if (!lock.held) {
    throw new Problem(
      `Parley already runs from this folder (process ${lock.pid}). Stop it there with Ctrl-C first.`,
    );
  }
  const steps = createSteps(process.stdout);
  const releases = createReleases();

  const up = bringUp(steps, releases, leftOut(process.argv.slice(2)));
  up.catch(() => undefined);
  try {
    await Promise.race([up, told]);
    await told;
  } finally {
    const isUp = !releases.isEmpty();
    if (isUp) steps.say('Stopping: requests and calls that are under way get up to 30 s …');
    const patience = setTimeout(() => process.exit(1), STOPPING_WITHIN_MS);
    await releases.run();
    await up.catch(() => undefined);
    clearTimeout(patience);
    lock.release();
    if (isUp) steps.say('Stopped');
  }
  return 0;
});
