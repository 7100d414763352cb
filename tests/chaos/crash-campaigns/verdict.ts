import { type Statement, sql } from '@parley/kit/db';
import type { SqlClient } from '@parley/testkit';
import type { DialingStage } from '@parley/testkit/stage';

type Contact = {
  id: string;
  campaignId: string;
  number: string;
  status: string;
  attempts: number;
  outcome: string | null;
  callId: string | null;
};
type Campaign = { id: string; status: string; total: number; succeeded: number; failed: number };
type Call = {
  id: string;
  contactId: string;
  number: string;
  status: string;
  reason: string | null;
  legs: number;
};

const OPEN_ATTEMPTS = sql`SELECT id::text FROM attempts WHERE state IN ('requested', 'dialled', 'answered')`;

export type Verdict = { contacts: number; attempts: number; breaches: Map<string, string[]> };

/** The violations of each invariant across both databases: its description, and the ids of the rows. */
export async function judge(
  { campaignsSql, telephonySql }: DialingStage,
  maxRetries: number,
): Promise<Verdict> {
  const contacts = await campaignsSql.$queryRaw<Contact[]>`
  SELECT id::text, campaign_id::text AS "campaignId", phone_number AS number, status, attempts,
    last_outcome AS outcome, last_call_id::text AS "callId"
  FROM contacts c WHERE EXISTS (SELECT FROM campaigns p WHERE p.id = c.campaign_id AND p.started_at IS NOT NULL)`;
  const campaigns = await campaignsSql.$queryRaw<Campaign[]>`
  SELECT c.id::text, c.status, c.total_contacts AS total,
    coalesce(sum(t.succeeded), 0)::int AS succeeded, coalesce(sum(t.failed), 0)::int AS failed
  FROM campaigns c LEFT JOIN campaign_tallies t ON t.campaign_id = c.id WHERE c.started_at IS NOT NULL GROUP BY c.id`;
  const open = await campaignsSql.$queryRaw<{ id: string }[]>(OPEN_ATTEMPTS);
  const calls = await telephonySql.$queryRaw<Call[]>`
  SELECT c.id::text, c.contact_id::text AS "contactId", c.to_number AS number, c.status, c.disconnection_reason AS reason,
    (SELECT count(*)::int FROM simulated_legs l WHERE l.reference = c.id) AS legs
  FROM calls c`;
  const callsOf = groupBy(calls, ({ contactId }) => contactId);
  const contactsOf = groupBy(contacts, ({ campaignId }) => campaignId);
  const callById = new Map(calls.map((call) => [call.id, call]));
  const those = (fails: (contact: Contact, own: Call[]) => boolean): string[] =>
    contacts.filter((contact) => fails(contact, callsOf.get(contact.id) ?? [])).map(({ id }) => id);
  const count = (id: string, status: string): number =>
    (contactsOf.get(id) ?? []).filter((contact) => contact.status === status).length;

  const breaches = new Map([
    ['attempt dialed twice', calls.filter(({ legs }) => legs > 1).map(({ id }) => id)],
    ['contact dialed more often than allowed', those((_, own) => dials(own) > maxRetries + 1)],
    ['contact dialed again after it was reached', those((_, own) => own.filter(isReached).length > 1)],
    ['contact stuck', those(({ status }) => status !== 'succeeded' && status !== 'failed')],
    ['attempt open', open.map(({ id }) => id)],
    ['call live', calls.filter(({ status }) => status !== 'completed').map(({ id }) => id)],
    ['contact whose attempts and calls differ in number', those((it, own) => it.attempts !== own.length)],
    [
      'contact whose outcome differs from that of its last call',
      contacts.flatMap(({ id, callId, outcome }) => {
        const reason = callById.get(callId ?? '')?.reason ?? null;
        const all = (callsOf.get(id) ?? [])
          .map((it) => `${it.id === callId ? 'last: ' : ''}${it.reason}`)
          .join('; ');
        return reason === outcome ? [] : [`${id} (${outcome}, but its call ${reason}, of ${all})`];
      }),
    ],
    [
      'contact with the wrong status',
      those(({ status }, own) => (status === 'succeeded') !== own.some(isReached)),
    ],
    ['campaign not completed', campaigns.filter(({ status }) => status !== 'completed').map(({ id }) => id)],
    [
      'campaign with wrong counters',
      campaigns
        .filter(({ id, total, succeeded, failed }) => {
          const isRight = succeeded === count(id, 'succeeded') && failed === count(id, 'failed');
          return !isRight || succeeded + failed !== total;
        })
        .map(({ id }) => id),
    ],
  ]);
  return { contacts: contacts.length, attempts: calls.length, breaches };
}

/** What is still in progress; null if nothing is. */
export async function unfinished({ campaignsSql, telephonySql }: DialingStage): Promise<string | null> {
  const left = {
    campaigns: await one(campaignsSql, sql`SELECT count(*) FROM campaigns WHERE status = 'running'`),
    attempts: await one(campaignsSql, sql`SELECT count(*) FROM (${OPEN_ATTEMPTS}) AS o`),
    calls: await one(telephonySql, sql`SELECT count(*) FROM calls WHERE status <> 'completed'`),
  };
  if (Object.values(left).every((rows) => rows === 0)) return null;
  return Object.entries(left)
    .map(([what, rows]) => `${what} ${rows}`)
    .join(', ');
}

async function one(client: SqlClient, question: Statement): Promise<number> {
  const [row] = await client.$queryRaw<{ count: string }[]>(question);
  return Number(row?.count);
}

/** The call was answered, whichever side hung up [campaigns.13]. */
function isReached({ reason }: Call): boolean {
  return ['user_hangup', 'agent_hangup', 'timeout', 'completed', 'call_transfer'].includes(reason ?? '');
}

function dials(own: readonly Call[]): number {
  return own.reduce((sum, { legs }) => sum + legs, 0);
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
