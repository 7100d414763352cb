import { parseConfig } from '@parley/kit/config';
import { runMain } from '@parley/kit/lifecycle';
import { configSchema } from './config.ts';
import { createContext } from './context.ts';
import { startConsumers } from './events/consumers.ts';
import { startJobs } from './jobs.ts';
import { startServer } from './server.ts';

await runMain('webhooks', async (lifecycle, log) => {
  const config = parseConfig(configSchema, process.env);
  log.level = config.LOG_LEVEL;
  lifecycle.setDeadline(config.STOP_DEADLINE_MS);
  const context = await createContext(config, { lifecycle, log });
  await startServer(context);
  startConsumers(context, startJobs(context).wake);
});
