import { canInstall } from './apt.ts';
import type { Finding, Machine } from './choose-source.ts';
import { findEngine } from './compose.ts';
import { findInstalled } from './installed-program.ts';
import { findLocalServer } from './local-server.ts';
import { SERVERS } from './server-kinds.ts';

/**
 * This machine. `PARLEY_IGNORE_LOCAL=1` ignores the servers at the usual ports and `PARLEY_IGNORE_DOCKER=1` ignores Docker, to get
 * private servers.
 */
export function thisMachine(env: NodeJS.ProcessEnv): Machine {
  let engine: Promise<Finding> | undefined;
  return {
    environment: (kind) => env[SERVERS[kind].variable] || undefined,
    local: async (kind) =>
      env.PARLEY_IGNORE_LOCAL === '1'
        ? { ok: false, why: 'PARLEY_IGNORE_LOCAL=1 ignores the usual port' }
        : findLocalServer(kind),
    compose: () => {
      if (env.PARLEY_IGNORE_DOCKER === '1')
        return Promise.resolve({ ok: false, why: 'PARLEY_IGNORE_DOCKER=1' });
      engine ??= findEngine();
      return engine;
    },
    installed: findInstalled,
    apt: canInstall,
  };
}
