import { parseConfig } from '@parley/kit/config';
import { runMain } from '@parley/kit/lifecycle';
import { startConsumers } from './attempts/consumers.ts';
import { configSchema } from './config.ts';
import { createContext } from './context.ts';
import { startJobs } from './jobs.ts';
import { startServer } from './server.ts';

await runMain('campaigns', async (lifecycle, log) => {
  const config = parseConfig(configSchema, process.env);
  log.level = config.LOG_LEVEL;
  lifecycle.setDeadline(config.STOP_DEADLINE_MS);
  const context = await createContext(config, { lifecycle, log });
  startJobs(context);
  startConsumers(context);
  await startServer(context);
});
