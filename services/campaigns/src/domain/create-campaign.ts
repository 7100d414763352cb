import type { CampaignCreation, ContactInput } from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import { type CreatedView, toCreated } from './campaign-views.ts';
import { checkPillars, holdPillars, type PillarDeps, type Pillars } from './hold-pillars.ts';
import { newCampaign, readCreation } from './new-campaign.ts';
import type { Asker, CampaignStore, ImportContacts, WrittenContacts } from './ports.ts';
import { readUpload } from './upload/read-upload.ts';

export type CreateDeps = PillarDeps & {
  campaigns: Pick<CampaignStore, 'insert'>;
  importContacts: ImportContacts;
  clock: Clock;
};

export type CreateInput = { asker: Asker; body: AsyncIterable<Buffer>; idempotency: Idempotency };

/**
 * Creates a campaign from a body of any size (spec: POST /v1/campaigns). Its keys come in any order, so the contacts are
 * written under the campaign's id while they arrive, and the campaign itself at the end, in the same transaction: all or
 * nothing (D7.2).
 */
export async function createCampaign(deps: CreateDeps, input: CreateInput): Promise<CreatedView> {
  const id = newId();
  const { workspaceId } = input.asker;
  let rest: Rest | undefined;

  async function* contacts(): AsyncGenerator<ContactInput[]> {
    const fields = yield* readUpload(input.body);
    const creation = readCreation(fields, deps.clock.now());
    const phoneNumberId = await checkPillars(deps, pillarsOf(creation), input.asker);
    rest = { creation, phoneNumberId };
  }
  const finish = async (tx: Sql, { count, lastId }: WrittenContacts): Promise<CreatedView> => {
    if (!rest) throw new Error('the contacts ended before the rest of the body was checked');
    const { phoneNumberId, creation } = rest;
    const origin = { id, workspaceId, phoneNumberId, totalContacts: count, lastContactId: lastId };
    const campaign = newCampaign(origin, creation, deps.clock.now());
    await holdPillars(deps, tx, { ...pillarsOf(creation), phoneNumberId }, input.asker);
    await deps.campaigns.insert(tx, campaign);
    return input.idempotency.answer(tx, toCreated(campaign));
  };
  const skipDuplicates = (): boolean => rest?.creation.skip_duplicates === true;
  return deps.importContacts(
    { campaignId: id, isNew: true, skipDuplicates, failure: 'CREATE_FAILED', finish },
    contacts(),
  );
}

type Rest = { creation: CampaignCreation; phoneNumberId: string };

function pillarsOf({ agent_id, phone_number }: CampaignCreation): Pillars {
  return { agentId: agent_id, phoneNumber: phone_number };
}
