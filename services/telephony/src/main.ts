import { parseConfig } from '@parley/kit/config';
import { runMain } from '@parley/kit/lifecycle';
import { configSchema } from './config.ts';
import { createContext } from './context.ts';
import { startTelephony } from './server.ts';

await runMain('telephony', async (lifecycle, log) => {
  const config = parseConfig(configSchema, process.env);
  log.level = config.LOG_LEVEL;
  lifecycle.setDeadline(config.STOP_DEADLINE_MS);
  await startTelephony(await createContext(config, { lifecycle, log }));
});
