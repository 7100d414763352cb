import { generateAll } from '../build/build.ts';
import { runScript } from '../terminal/run-script.ts';
import { createSteps } from '../terminal/steps.ts';

// `npm run generate`: generates the Prisma clients, which editors and the type checker need.
runScript(async () => {
  await createSteps(process.stdout).step('Generate', generateAll);
  return 0;
});
