import { generateAll } from '../build/build.ts';
import { runScript } from '../terminal/run-script.ts';
import { createSteps } from '../terminal/steps.ts';

// `npm run generate`: the Prisma clients, which editors and the type checker want.
runScript(async () => {
  await createSteps(process.stdout).step('Generate', generateAll);
  return 0;
});
