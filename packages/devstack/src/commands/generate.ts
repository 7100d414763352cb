import { generateAll } from '../build/build.ts';
import { runScript } from '../terminal/run-script.ts';
import { createSteps } from '../terminal/steps.ts';

// `npm run generate`: generates the Prisma clients, which editors and the type checker need, the table of routes of the browser's client,
// and the bundles of the widget.
runScript(async () => {
  await createSteps(process.stdout).step('Generate', generateAll);
  return 0;
});
