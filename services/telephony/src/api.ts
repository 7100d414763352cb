import { runService } from '@parley/kit/runtime';
import { configSchema } from './config.ts';
import { createContext } from './context.ts';
import { startApi } from './start-api.ts';

await runService({
  name: 'telephony',
  configSchema,
  env: process.env,
  start: async (config, process) => {
    await startApi(await createContext(config, process));
  },
});
