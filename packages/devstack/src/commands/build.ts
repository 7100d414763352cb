import { buildAll } from '../build/build.ts';
import { runScript } from '../terminal/run-script.ts';
import { createSteps } from '../terminal/steps.ts';

// `npm run build`: updates the Prisma clients and dist/ of every package and service.
runScript(async () => {
  await createSteps(process.stdout).step('Build', buildAll);
  return 0;
});
