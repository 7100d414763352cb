import type { MessageType } from '@parley/contracts';
import type { Stage } from './stage.ts';
import type { Requested } from './traffic.ts';

export type CallRow = {
  id: string;
  type: string;
  ending: string;
  status: string;
  isAnswered: boolean;
  ofCampaign: boolean;
  reason: string | null;
  legs: number;
};

/** Counts of what is still in progress. */

export type Unfinished = { calls: number; requests: number; rings: number; messages: number };

export async function unfinished({ sql }: Stage): Promise<Unfinished> {
  const [row] = await sql.$queryRaw<Unfinished[]>`
  SELECT (SELECT count(*) FROM calls WHERE status <> 'completed' OR analysed_at IS NULL)::int AS calls,
    (SELECT count(*) FROM dial_requests WHERE state = 'waiting')::int AS requests,
    (SELECT count(*) FROM simulated_legs WHERE direction = 'inbound' AND NOT taken AND ended_at IS NULL)::int AS rings,
    (SELECT count(*) FROM outbox)::int AS messages`;
  if (!row) throw new Error('the database gave no row');
  return row;
}

export const callsOf = ({ sql }: Stage): Promise<CallRow[]> => sql.$queryRaw<CallRow[]>`
  SELECT c.id::text, c.call_type AS type, c.status, c.answered_at IS NOT NULL AS "isAnswered",
    right(c.to_number, 4) AS ending, c.campaign_id IS NOT NULL AS "ofCampaign", c.disconnection_reason AS reason,
    (SELECT count(*)::int FROM simulated_legs l WHERE l.reference = c.id) AS legs
  FROM calls c`;

/** Inbound calls whose caller hung up before any worker had taken them: they have no row in `calls`. */
export async function abandonedInbound({ sql }: Stage): Promise<string[]> {
  const rows = await sql.$queryRaw<{ id: string }[]>`SELECT reference::text AS id FROM simulated_legs l
     WHERE direction = 'inbound' AND taken AND ended_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.id = l.reference)`;
  return rows.map(({ id }) => id);
}

/** The violations of each invariant: its description, and the ids of the calls that violate it. */
export async function breaches(stage: Stage, requested: Requested): Promise<Map<string, string[]>> {
  const { sql, bus } = stage;
  const calls = await callsOf(stage);
  const byId = new Map(calls.map((call) => [call.id, call]));
  const ids = (some: readonly CallRow[]): string[] => some.map(({ id }) => id);
  /** Ids of distinct messages of the type, by call: a message may be redelivered under the same id. */
  const received = (
    type: Extract<MessageType, `call.${string}` | 'dial.refused'>,
  ): Map<string, Set<string>> => {
    const messages = new Map<string, Set<string>>();
    for (const { id, data } of bus.received(type)) {
      messages.set(data.call_id, (messages.get(data.call_id) ?? new Set()).add(id));
    }
    return messages;
  };
  const wrongCount = (type: 'call.started' | 'call.ended' | 'call.analyzed', of: CallRow[]) => {
    const messages = received(type);
    const wanted = new Set(ids(of));
    return calls.filter(({ id }) => (messages.get(id)?.size ?? 0) !== (wanted.has(id) ? 1 : 0));
  };

  const refused = received('dial.refused');
  const twice = await sql.$queryRaw<
    { id: string }[]
  >`SELECT reference::text AS id FROM simulated_legs GROUP BY reference HAVING count(*) > 1`;
  const withoutCall = await sql.$queryRaw<{ id: string }[]>`SELECT reference::text AS id FROM simulated_legs l
     WHERE (direction = 'outbound' OR ended_at IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.id = l.reference)`;
  const abandoned = new Set(await abandonedInbound(stage));
  // Every requested call has a different number.
  const placedTwice = await sql.$queryRaw<
    { id: string }[]
  >`SELECT min(id::text) AS id FROM calls WHERE call_type = 'outbound' GROUP BY to_number HAVING count(*) > 1`;
  const lost = [...requested.single, ...requested.campaign, ...requested.inbound].filter(
    (id) => !byId.has(id) && !refused.has(id) && !abandoned.has(id),
  );
  return new Map([
    ['dialed twice', twice.map(({ id }) => id)],
    ['placed twice', placedTwice.map(({ id }) => id)],
    ['at the carrier without a row', withoutCall.map(({ id }) => id)],
    ['requested and lost', lost],
    ['still live', ids(calls.filter(({ status }) => status !== 'completed'))],
    [
      'dialed without call.dialing',
      ids(
        // `call.dialing` is published again if the dial had to take another slot.
        calls.filter(({ id, ofCampaign }) => ofCampaign !== received('call.dialing').has(id)),
      ),
    ],
    [
      'without exactly one call.started',
      ids(
        wrongCount(
          'call.started',
          calls.filter((call) => call.isAnswered),
        ),
      ),
    ],
    ['without exactly one call.ended', ids(wrongCount('call.ended', calls))],
    ['without exactly one call.analyzed', ids(wrongCount('call.analyzed', calls))],
    ['in dead letters', await bus.deadLetters('telephony.dials')],
  ]);
}
