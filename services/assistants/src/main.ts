import { runService } from '@parley/kit/runtime';
import { configSchema } from './config.ts';
import { createContext } from './context.ts';
import { startJobs } from './jobs.ts';
import { startConsumers } from './numbers/consumers.ts';
import { startServer } from './server.ts';

await runService({
  name: 'assistants',
  configSchema,
  env: process.env,
  start: async (config, process) => {
    const context = await createContext(config, process);
    await startServer(context);
    startConsumers(context);
    startJobs(context);
  },
});
