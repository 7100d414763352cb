import {
  type CampaignStatus,
  type ContactInput,
  contactsAppend,
  type appendContacts as endpoint,
  type ResponseOf,
} from '@parley/contracts';
import type { Sql } from '@parley/kit/db';
import { conflict, parseInput } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import type { Clock } from '@parley/kit/time';
import { z } from 'zod';
import type { Bell } from './bell.ts';
import type { Asker, CampaignStore, ImportContacts } from './ports.ts';
import { campaignNotFound } from './read-campaigns.ts';
import { readUpload } from './upload/read-upload.ts';

export type AppendDeps = {
  campaigns: Pick<CampaignStore, 'find' | 'holdStatus' | 'grow'>;
  importContacts: ImportContacts;
  clock: Clock;
  dispatchBell: Bell;
};

export type AppendInput = { id: string; asker: Asker; body: AsyncIterable<Buffer>; idempotency: Idempotency };
type Answer = ResponseOf<typeof endpoint>;

const uploadSchema = contactsAppend.extend({ contacts: z.array(z.unknown()).min(1) });

/**
 * Adds contacts to a campaign, from a body of any size, all or nothing (D7.6). It is asked whether it is over before its
 * contacts are read, and once more at the end, under its lock: it completes before them and they are refused, or it goes on
 * with them. No verb and no dial waits while they are written (D7.1).
 */
export async function appendContacts(deps: AppendDeps, input: AppendInput): Promise<Answer> {
  const { id, asker } = input;
  const { workspaceId } = asker;
  const found = await deps.campaigns.find(workspaceId, id);
  mustTakeContacts(found?.campaign.status);
  let isSkipping = false;

  async function* contacts(): AsyncGenerator<ContactInput[]> {
    const fields = yield* readUpload(input.body);
    isSkipping = parseInput(uploadSchema, fields).skip_duplicates;
  }
  const answer = await deps.importContacts(
    {
      campaignId: id,
      isNew: false,
      skipDuplicates: () => isSkipping,
      failure: 'CONTACTS_INSERT_FAILED',
      finish: async (tx: Sql, { count: added, lastId }): Promise<Answer> => {
        mustTakeContacts(await deps.campaigns.holdStatus(tx, workspaceId, id));
        const total = await deps.campaigns.grow(tx, { id, added, lastId, now: deps.clock.now() });
        return input.idempotency.answer(tx, { added, total_contacts: total });
      },
    },
    contacts(),
  );
  deps.dispatchBell.ring();
  return answer;
}

function mustTakeContacts(status: CampaignStatus | undefined): void {
  if (!status) throw campaignNotFound();
  if (status === 'completed' || status === 'cancelled') {
    throw conflict(`A campaign that is ${status} takes no more contacts`);
  }
}
