import { runService } from '@parley/kit/runtime';
import { startConsumers } from './attempts/consumers.ts';
import { configSchema } from './config.ts';
import { createContext } from './context.ts';
import { startJobs } from './jobs.ts';
import { startServer } from './server.ts';

await runService({
  name: 'campaigns',
  configSchema,
  env: process.env,
  start: async (config, process) => {
    const context = await createContext(config, process);
    startJobs(context);
    startConsumers(context);
    await startServer(context);
  },
});
