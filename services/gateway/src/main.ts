import { runService } from '@parley/kit/runtime';
import { startAuditConsumer } from './audit/consumers.ts';
import { configSchema } from './config.ts';
import { createContext } from './context.ts';
import { startServers } from './server.ts';

await runService({
  name: 'gateway',
  configSchema,
  env: process.env,
  start: async (config, process) => {
    const context = await createContext(config, process);
    await startServers(context);
    startAuditConsumer(context);
  },
});
