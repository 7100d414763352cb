import { createChangeNotes } from '@parley/kit/amqp';
import { createWakeUp } from '@parley/kit/concurrency';
import { createApplyRetention, createRemover, type RemoverDeps } from '@parley/kit/removal';
import { createRuntime, type RuntimeOverrides, type RuntimeProcess } from '@parley/kit/runtime';
import { toIsoMillis } from '@parley/kit/time';
import { createAttemptStore } from './attempts/attempts.store.ts';
import type { Campaign } from './campaigns/campaign.ts';
import { campaignGauges } from './campaigns/campaign-gauges.ts';
import { createCampaignStore } from './campaigns/campaigns.store.ts';
import { createCompletion } from './campaigns/complete.ts';
import { createAssistants } from './clients/assistants.ts';
import { createTelephony } from './clients/telephony.ts';
import type { Config } from './config.ts';
import { createContactStore } from './contacts/contacts.store.ts';
import { connectImportPool } from './database.ts';
import { createBusyNumbers, createClaimDials } from './dispatch/claim-dials.ts';
import { waitingContacts } from './explain/waiting-contacts.store.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { ERASURE_STEPS, WORKSPACE_STEPS } from './retention/erasure-steps.ts';
import { RETENTION_STEPS } from './retention/retention-steps.ts';
import { createRetirementStore } from './retirements/retirements.store.ts';
import { createImportContacts } from './uploads/import-contacts.ts';
import { createSpools } from './uploads/spool.ts';

export type Context = Awaited<ReturnType<typeof createContext>>;

/** The composition root. */
export async function createContext(
  config: Config,
  process: RuntimeProcess,
  overrides: RuntimeOverrides = {},
) {
  const { outbox, clients, ...runtime } = await createRuntime(
    {
      name: 'campaigns',
      config,
      createPrisma: (adapter) => new PrismaClient({ adapter }),
      gauges: campaignGauges,
      clients: { assistants: config.ASSISTANTS_URL, telephony: config.TELEPHONY_URL },
    },
    process,
    overrides,
  );
  const { clock, log, prisma, amqp, erasedNumbers } = runtime;
  const { transaction } = outbox;
  const transact: RemoverDeps['transact'] = (work) => transaction(work);
  const noteChange = createChangeNotes(amqp, runtime.lifecycle);
  const noteCampaign = ({ id, workspaceId, status }: Pick<Campaign, 'id' | 'workspaceId' | 'status'>): void =>
    noteChange(workspaceId, { type: 'campaign', id, what: status, at: toIsoMillis(clock.now()) });
  const campaigns = createCampaignStore(prisma, transaction, { log, onChanged: noteCampaign });

  return {
    ...runtime,
    applyRetention: createApplyRetention({ transact, clock, steps: RETENTION_STEPS }),
    remover: createRemover({
      ...{ service: 'campaigns', amqp, erasedNumbers, transact },
      erasure: ERASURE_STEPS,
      workspace: WORKSPACE_STEPS,
    }),
    campaigns,
    /** Notifies dashboard pages of a new campaign. */
    noteCampaign,
    contacts: createContactStore(prisma),
    waitingContacts: (campaignId: string, now: Date) => waitingContacts(prisma, campaignId, now),
    attempts: createAttemptStore(prisma, transaction),
    retirements: createRetirementStore(prisma, transaction),
    complete: createCompletion({ campaigns, clock }),
    importContacts: createImportContacts(
      connectImportPool(config, process),
      createSpools(config.UPLOAD_SPOOL_MB * 1024 ** 2),
      config.IMPORT_CONNECTIONS,
    ),
    busyNumbers: createBusyNumbers(transaction),
    claimDials: createClaimDials(transaction),
    assistants: createAssistants(clients.assistants),
    telephony: createTelephony(clients.telephony),
    dispatchWakeUp: createWakeUp(),
    withdrawWakeUp: createWakeUp(),
    windowMax: config.DIAL_WINDOW_MAX,
  };
}
