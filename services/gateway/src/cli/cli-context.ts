import {
  countSecretsOf,
  discardRefusedMessageOf,
  listRefusedMessagesOf,
  type PublisherName,
  readRefusedMessageOf,
  reencryptSecretsOf,
  requeueRefusedMessageOf,
  SERVICES_WITH_SECRETS,
  type ServiceName,
} from '@parley/contracts';
import type { AuditEntry } from '@parley/kit/audit';
import { createPrismaAdapter } from '@parley/kit/db';
import { connectService, createInternalTokens, type ServiceClient } from '@parley/kit/http';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { createSecretBox } from '@parley/kit/secrets';
import { createClock } from '@parley/kit/time';
import { addAuditEntry } from '../audit/audit-log.store.ts';
import { type CliConfig, publicKeyDefaultsOf } from '../config.ts';
import { PrismaClient } from '../generated/prisma/client.ts';
import { changedBy } from '../people/changes.ts';
import { createMemberStore } from '../people/members.store.ts';
import { createPeopleStore } from '../people/people.store.ts';
import { createRemovalJobs } from '../removals/removal-jobs.store.ts';
import type { SecretStore } from '../secrets/rotate-secrets.ts';
import { createPasswords } from '../sign-in/password.ts';
import { createSecondFactorStore } from '../sign-in/second-factors.store.ts';
import { createSignInLinkStore } from '../sign-in/sign-in-links.store.ts';
import { createWorkspaceStore } from '../workspaces/workspaces.store.ts';
import { BY, OPERATOR } from './operator.ts';

export type CliContext = Awaited<ReturnType<typeof openCliContext>>;

/** Longer than for a client's request. */
const PEER_TIMEOUT_MS = 20_000;

/** Connects to the gateway's database and to the services. */
export async function openCliContext(config: CliConfig) {
  const log = createLogger({ service: 'parley-cli', level: 'silent' });
  const lifecycle = createLifecycle(log, { deadlineMs: 5_000 });
  const clock = createClock({ rate: config.CLOCK_RATE, originMs: config.CLOCK_ORIGIN_MS });
  const { DATABASE_URL: databaseUrl } = config;
  const adapter = createPrismaAdapter({ databaseUrl, pool: 1, applicationName: 'parley-cli', log });
  const prisma = new PrismaClient({ adapter });
  lifecycle.onStop('database', () => prisma.$disconnect());
  const box = createSecretBox(config.ENCRYPTION_KEYS);
  const [pepper] = config.KEY_PEPPER;
  const urls = {
    gateway: config.GATEWAY_INTERNAL_URL,
    assistants: config.ASSISTANTS_URL,
    telephony: config.TELEPHONY_URL,
    campaigns: config.CAMPAIGNS_URL,
    webhooks: config.WEBHOOKS_URL,
  };
  const internalTokens = createInternalTokens({
    service: 'gateway',
    signingKeys: config.INTERNAL_SIGNING_KEYS,
    verifyKeys: config.INTERNAL_VERIFY_KEYS,
  });
  const peer = (name: ServiceName): ServiceClient =>
    connectService(
      { name, caller: 'gateway', baseUrl: urls[name], internalTokens, log, timeoutMs: PEER_TIMEOUT_MS },
      lifecycle,
    );
  return {
    store: createWorkspaceStore({ prisma, box, pepper, clock }),
    removals: createRemovalJobs({ prisma, box, pepper, clock }),
    clock,
    keyDefaults: publicKeyDefaultsOf(config),
    pepper,
    members: createMemberStore(prisma, clock),
    people: createPeopleStore(prisma, clock),
    secondFactors: createSecondFactorStore({ prisma, box, clock }),
    signInLinks: createSignInLinkStore(prisma, clock),
    passwords: createPasswords(config.PASSWORD_COST, pepper),
    invitationDays: config.INVITATION_DAYS,
    publicUrl: config.PUBLIC_URL,
    telephony: peer('telephony'),
    assistants: peer('assistants'),
    secretStores: SERVICES_WITH_SECRETS.map((name): SecretStore => {
      const store = peer(name);
      const [reencrypt, count] = [reencryptSecretsOf(name), countSecretsOf(name)];
      return {
        name,
        reencrypt: (cursor) => store.call(reencrypt, { body: { cursor } }, OPERATOR),
        count: () => store.call(count, {}, OPERATOR),
      };
    }),
    /** Messages of a service that the broker refused. */
    refusedMessages: (service: PublisherName) => {
      const publisher = peer(service);
      const one = (id: string) => ({ params: { id } });
      return {
        list: () => publisher.call(listRefusedMessagesOf(service), {}, OPERATOR),
        read: (id: string) => publisher.call(readRefusedMessageOf(service), one(id), OPERATOR),
        requeue: (id: string) => publisher.call(requeueRefusedMessageOf(service), one(id), OPERATOR),
        discard: (id: string) => publisher.call(discardRefusedMessageOf(service), one(id), OPERATOR),
      };
    },
    /** Adds an entry to the audit log of a workspace, or of `NO_WORKSPACE` for a change of the whole installation. */
    record: (workspaceId: string, entry: Omit<AuditEntry, 'at'>) =>
      addAuditEntry(prisma, changedBy(BY, workspaceId), { ...entry, at: clock.now() }),
    close: () => lifecycle.stop('done'),
  };
}
