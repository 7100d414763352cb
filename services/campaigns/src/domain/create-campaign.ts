import type { CampaignCreation, ContactInput } from '@parley/contracts';
import { AppError } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import { newId } from '@parley/kit/ids';
import type { Clock } from '@parley/kit/time';
import { type CreatedView, toCreated } from './campaign-views.ts';
import { newCampaign, readCreation } from './new-campaign.ts';
import type { Asker, Assistants, CampaignStore, ImportContacts, Telephony } from './ports.ts';
import { readUpload } from './upload/read-upload.ts';

export type CreateDeps = {
  campaigns: Pick<CampaignStore, 'insert'>;
  importContacts: ImportContacts;
  assistants: Assistants;
  telephony: Pick<Telephony, 'findNumber'>;
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
    rest = await check(deps, readCreation(fields, deps.clock.now()), input.asker);
  }
  const skipDuplicates = (): boolean => rest?.creation.skip_duplicates === true;

  return deps.importContacts({ campaignId: id, skipDuplicates }, contacts(), async (tx, totalContacts) => {
    if (!rest) throw new Error('the contacts ended before the rest of the body was checked');
    const { phoneNumberId, creation } = rest;
    const origin = { id, workspaceId, phoneNumberId, totalContacts };
    const campaign = newCampaign(origin, creation, deps.clock.now());
    await deps.campaigns.insert(tx, campaign);
    return input.idempotency.answer(tx, toCreated(campaign));
  });
}

type Rest = { creation: CampaignCreation; phoneNumberId: string };

async function check(
  { assistants, telephony }: CreateDeps,
  creation: CampaignCreation,
  asker: Asker,
): Promise<Rest> {
  if (!(await assistants.exists(creation.agent_id, asker))) {
    throw new AppError('AGENT_NOT_FOUND', 'The assistant is not one of this workspace');
  }
  const { phoneNumberId } = await telephony.findNumber(creation.phone_number, asker);
  return { creation, phoneNumberId };
}
