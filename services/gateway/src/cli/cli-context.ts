import { SECRET_KEEPERS, type SecretKeeperName } from '@parley/contracts';
import { connectPeer, createInternalTokens, type Peer } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createSecretBox } from '@parley/kit/secrets';
import { createClock } from '@parley/kit/time';
import type { MemberDeps } from '../domain/people/members.ts';
import { createPasswords, type Passwords } from '../domain/people/password.ts';
import type { PeopleStore } from '../domain/people/ports.ts';
import type { SecretKeeper } from '../domain/secrets/ports.ts';
import type { WorkspaceStore } from '../domain/workspaces/ports.ts';
import { createMemberStore } from '../store/members.ts';
import { createPeopleStore } from '../store/people.ts';
import { connectPrisma } from '../store/prisma.ts';
import { createWorkspaceStore } from '../store/workspaces.ts';
import type { CliConfig } from './cli-config.ts';
import { createSecretKeeper } from './secret-keepers.ts';

export type CliContext = MemberDeps & {
  store: WorkspaceStore;
  people: PeopleStore;
  passwords: Passwords;
  publicUrl: string | undefined;
  telephony: Peer;
  assistants: Peer;
  /** The services that keep secrets. */
  keepers: SecretKeeper[];
  close(): Promise<void>;
};

/** An operator waits longer than a call may. */
const PEER_TIMEOUT_MS = 20_000;

/** Opens what a command needs: the gateway's database, and the way to the services. */
export async function openCliContext(config: CliConfig): Promise<CliContext> {
  const log = createLogger({ service: 'parley-cli', level: 'silent' });
  const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
  const clock = createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS });
  const prisma = connectPrisma(config.DATABASE_URL, 1, lifecycle, log);
  const box = createSecretBox(config.ENCRYPTION_KEYS);
  const urls = {
    gateway: config.GATEWAY_INTERNAL_URL,
    assistants: config.ASSISTANTS_URL,
    telephony: config.TELEPHONY_URL,
  };
  const internalTokens = createInternalTokens(config.INTERNAL_TOKEN_SECRET);
  const peer = (name: SecretKeeperName): Peer =>
    connectPeer(
      { name, caller: 'gateway', baseUrl: urls[name], internalTokens, log, timeoutMs: PEER_TIMEOUT_MS },
      lifecycle,
    );
  return {
    store: createWorkspaceStore({ prisma, box, pepper: config.KEY_PEPPER, clock }),
    clock,
    pepper: config.KEY_PEPPER,
    members: createMemberStore(prisma, clock),
    people: createPeopleStore(prisma, clock),
    passwords: createPasswords(config.PASSWORD_COST),
    invitationDays: config.INVITATION_DAYS,
    publicUrl: config.PUBLIC_URL,
    telephony: peer('telephony'),
    assistants: peer('assistants'),
    keepers: SECRET_KEEPERS.map((name) => createSecretKeeper(name, peer(name))),
    close: () => lifecycle.stop('done'),
  };
}
