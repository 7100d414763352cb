import { type CampaignCreation, type ContactInput, campaignCreation } from '@parley/contracts';
import { parseInput, validationFailed } from '@parley/kit/errors';
import { type Auth, type CallContext, mayUseAgent } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import {
  checkDependencies,
  type DependencyDeps,
  lockDependencies,
  missing,
} from '../retirements/lock-dependencies.ts';
import type { ImportContacts, ImportedContacts, ImportTransaction } from '../uploads/import-contacts.ts';
import { readUpload, type UploadFields } from '../uploads/read-upload.ts';
import { wakeAt } from './apply-move.ts';
import type { Campaign } from './campaign.ts';
import { type CreatedView, toCreated } from './campaign-views.ts';
import type { CampaignStore } from './campaigns.store.ts';

export type CreateDeps = DependencyDeps & {
  campaigns: Pick<CampaignStore, 'insert'>;
  importContacts: ImportContacts;
  /** Notifies dashboard pages. */
  noteCampaign: (campaign: Pick<Campaign, 'id' | 'workspaceId' | 'status'>) => void;
  clock: Clock;
};

export type CreateInput = {
  auth: Auth;
  context: CallContext;
  body: AsyncIterable<Buffer>;
  idempotency: Idempotency;
};

/**
 * Creates a campaign from a body of any size [campaigns.1]. Its keys come in any order, so the contacts are read under the
 * campaign's id as they arrive, and the campaign is stored at the end, in the transaction of its contacts: all or nothing
 * [campaigns.2].
 */
export async function createCampaign(deps: CreateDeps, input: CreateInput): Promise<CreatedView> {
  const id = newId();
  const { context } = input;
  const { workspaceId } = context;
  let checked: { creation: CampaignCreation; phoneNumberId: string } | undefined;

  async function* contacts(): AsyncGenerator<ContactInput[]> {
    const fields = yield* readUpload(input.body);
    const creation = readCreation(fields, deps.clock.now());
    // Read as missing [trust.9].
    if (!mayUseAgent(input.auth, creation.agent_id)) throw missing('assistant');
    checked = { creation, phoneNumberId: await checkDependencies(deps, dependenciesOf(creation), context) };
  }
  const finish = async (tx: ImportTransaction, { count, lastId }: ImportedContacts): Promise<CreatedView> => {
    if (!checked) throw new Error('the contacts ended before the other fields were checked');
    const { phoneNumberId, creation } = checked;
    const origin = { id, workspaceId, phoneNumberId, totalContacts: count, lastContactId: lastId };
    const campaign = newCampaign(origin, creation, deps.clock.now());
    await lockDependencies(deps, tx, { ...dependenciesOf(creation), phoneNumberId }, context);
    await deps.campaigns.insert(tx, campaign);
    return input.idempotency.answer(tx, toCreated(campaign));
  };
  const skipDuplicates = (): boolean => checked?.creation.skip_duplicates === true;
  const created = await deps.importContacts(
    { workspaceId, campaignId: id, isNew: true, skipDuplicates, failure: 'CREATE_FAILED', finish },
    contacts(),
  );
  deps.noteCampaign({ id, workspaceId, status: created.status });
  return created;
}

const uploadSchema = campaignCreation.extend({ contacts: z.array(z.unknown()).min(1) });

/** The fields beside the contacts. */
function readCreation(fields: UploadFields, now: Date): CampaignCreation {
  const { contacts: _, ...creation } = parseInput(uploadSchema, fields);
  if (creation.scheduled_at && new Date(creation.scheduled_at) <= now) {
    const message = 'scheduled_at must be in the future';
    throw validationFailed([{ path: 'scheduled_at', code: 'too_small', message }]);
  }
  return creation;
}

function dependenciesOf({ agent_id, phone_number }: CampaignCreation) {
  return { agentId: agent_id, phoneNumber: phone_number };
}

type Origin = Pick<Campaign, 'id' | 'workspaceId' | 'phoneNumberId' | 'totalContacts' | 'lastContactId'>;

/** A `draft`, or `scheduled` [campaigns.1]. */
function newCampaign(origin: Origin, creation: CampaignCreation, now: Date): Campaign {
  const scheduledAt = creation.scheduled_at ? new Date(creation.scheduled_at) : null;
  const businessHours = creation.business_hours;
  const status = scheduledAt ? 'scheduled' : 'draft';
  return {
    ...origin,
    name: creation.campaign_name,
    agentId: creation.agent_id,
    phoneNumber: creation.phone_number,
    status,
    generation: 1,
    withdrawalPending: false,
    maxRetries: creation.max_retries,
    retryIntervals: creation.retry_intervals ?? [],
    businessHours,
    scheduledAt,
    wakeAt: wakeAt({ businessHours, scheduledAt }, status, now),
    startedAt: null,
    completedAt: null,
    contactsRemovedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
