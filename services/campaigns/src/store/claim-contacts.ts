import { newId } from '@parley/kit/ids';
import { enqueue } from '@parley/kit/outbox';
import type { Campaign } from '../domain/campaign.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { type DueContact, dialRequests } from './dial-request.ts';
import { CLAIM } from './due-contacts.ts';
import { groupBy } from './group-by.ts';

type Tx = Prisma.TransactionClient;
type Claimed = DueContact & { campaignId: string };
type Dial = { callId: string; contact: Claimed };

/** How many contacts of a campaign are to be dialled at most. */
export type Share = { campaign: Campaign; most: number };

const ATTEMPTS = `
  INSERT INTO attempts (id, workspace_id, campaign_id, contact_id, phone_number_id, generation, requested_at, news_at)
  SELECT call_id, workspace_id, campaign_id, contact_id, phone_number_id, generation, $1::timestamptz, $1::timestamptz
  FROM json_to_recordset($2::json) AS a (call_id uuid, workspace_id uuid, campaign_id uuid, contact_id uuid,
    phone_number_id uuid, generation int)`;

/** Claims contacts of campaigns that the transaction holds, writes their attempts and asks for the dials. */
export async function claimContacts(tx: Tx, shares: readonly Share[], now: Date): Promise<number> {
  const contacts = await claim(tx, shares, now);
  if (contacts.length === 0) return 0;
  const ofCampaign = groupBy(
    contacts.map((contact): Dial => ({ callId: newId(), contact })),
    ({ contact }) => contact.campaignId,
  );
  const dials = shares.map(({ campaign }) => ({ campaign, dials: ofCampaign.get(campaign.id) ?? [] }));
  const rows = dials.flatMap(({ campaign, dials: own }) => own.map((dial) => toRow(campaign, dial)));
  await tx.$executeRawUnsafe(ATTEMPTS, now.toISOString(), JSON.stringify(rows));
  await enqueue(
    tx,
    dials.flatMap(({ campaign, dials: own }) => dialRequests(campaign, own, now)),
  );
  return contacts.length;
}

function claim(tx: Tx, shares: readonly Share[], now: Date): Promise<Claimed[]> {
  return tx.$queryRawUnsafe<Claimed[]>(
    CLAIM,
    now.toISOString(),
    shares.map(({ campaign }) => campaign.id),
    shares.map(({ most }) => most),
    shares.map(({ campaign }) => campaign.lastContactId),
  );
}

function toRow(campaign: Campaign, { callId, contact }: Dial) {
  return {
    call_id: callId,
    workspace_id: campaign.workspaceId,
    campaign_id: campaign.id,
    contact_id: contact.id,
    phone_number_id: campaign.phoneNumberId,
    generation: campaign.generation,
  };
}
