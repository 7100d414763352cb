import { runService } from '@parley/kit/runtime';
import { configSchema } from './config.ts';
import { createContext } from './context.ts';
import { startConsumers } from './events/consumers.ts';
import { startJobs } from './jobs.ts';
import { startServer } from './server.ts';

await runService({
  name: 'webhooks',
  configSchema,
  env: process.env,
  start: async (config, process) => {
    const context = await createContext(config, process);
    await startServer(context);
    startConsumers(context, startJobs(context).wake);
  },
});
