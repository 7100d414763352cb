import type { ServiceName } from '@parley/contracts';
import type { ZodType, z } from 'zod';
import { parseConfig } from '../config/index.ts';
import { runMain } from '../lifecycle/index.ts';
import type { RuntimeConfig, RuntimeProcess } from './create-runtime.ts';

export type ServiceOptions<Schema extends ZodType<RuntimeConfig>> = {
  name: ServiceName;
  /** From `serviceConfig` of kit/config, with the variables of the broker. */
  configSchema: Schema;
  env: Record<string, string | undefined>;
  /** Opens the service's connections (`createRuntime`) and starts it; each resource registers its release with the lifecycle. */
  start(config: Readonly<z.output<Schema>>, process: RuntimeProcess): Promise<void>;
};

/** The whole life of a service's process: reads its configuration, starts it, and stops it on a signal or an error (`runMain`). */
export async function runService<Schema extends ZodType<RuntimeConfig>>({
  name,
  configSchema,
  env,
  start,
}: ServiceOptions<Schema>): Promise<void> {
  await runMain(name, async (lifecycle, log) => {
    const config = parseConfig(configSchema, env);
    log.level = config.LOG_LEVEL;
    lifecycle.setDeadline(config.STOP_DEADLINE_MS);
    await start(config, { lifecycle, log });
  });
}
