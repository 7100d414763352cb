import { type Actor, createInternalTokens, createPeer, NO_WORKSPACE, type Peer } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createSecretBox } from '@parley/kit/secrets';
import { type Clock, createClock } from '@parley/kit/time';
import type { WorkspaceStore } from '../domain/workspaces/ports.ts';
import { connectPrisma } from '../store/prisma.ts';
import { createWorkspaceStore } from '../store/workspaces.ts';
import type { CliConfig } from './cli-config.ts';

export type CliContext = {
  store: WorkspaceStore;
  clock: Clock;
  telephony: Peer;
  close(): Promise<void>;
};

/** As whom the operator asks other services. */
export const OPERATOR = { workspaceId: NO_WORKSPACE, actor: { kind: 'service', id: 'operator' } as Actor };

/** Opens what a command needs: the gateway's database, and the way to telephony. */
export async function openCliContext(config: CliConfig): Promise<CliContext> {
  const log = createLogger({ service: 'parley-cli', level: 'silent' });
  const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
  const clock = createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS });
  const prisma = connectPrisma(config.DATABASE_URL, 1, lifecycle, log);
  const box = createSecretBox(config.ENCRYPTION_KEYS);
  const telephony = createPeer({
    name: 'telephony',
    caller: 'gateway',
    baseUrl: config.TELEPHONY_URL,
    internalTokens: createInternalTokens(config.INTERNAL_TOKEN_SECRET),
    log,
  });
  lifecycle.onStop('telephony', () => telephony.close());
  return {
    store: createWorkspaceStore({ prisma, box, pepper: config.KEY_PEPPER, clock }),
    clock,
    telephony,
    close: () => lifecycle.stop('done'),
  };
}
