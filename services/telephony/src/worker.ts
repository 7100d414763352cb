import { createLifecycle } from '@parley/kit/lifecycle';
import { runService } from '@parley/kit/runtime';
import { configSchema } from './config.ts';
import { createContext } from './context.ts';
import { startServer } from './http-server.ts';
import { startConsumers } from './start-consumers.ts';
import { startWorker } from './start-worker.ts';

await runService({
  name: 'telephony',
  configSchema,
  env: process.env,
  start: async (config, { lifecycle, log }) => {
    const context = await createContext(config, { lifecycle, log });
    startConsumers(context);
    // Released after the server, but started after it: it may have to wait for the database.
    const calls = createLifecycle(log, { deadlineMs: config.STOP_DEADLINE_MS });
    lifecycle.onStop('call worker', (stop) => calls.stop('the process stops', stop));
    await startServer(context);
    await startWorker(context, calls);
  },
});
