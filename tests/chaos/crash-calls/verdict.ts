import type { MessageType } from '@parley/contracts';
import type { Stage } from './stage.ts';
import type { Asked } from './traffic.ts';

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

/** What is under way yet. */

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

/** Those who rang until their patience was over, with no worker there to take their calls: nobody has heard of them. */
export async function callersWhoGaveUp({ sql }: Stage): Promise<string[]> {
  const rows = await sql.$queryRaw<{ id: string }[]>`SELECT reference::text AS id FROM simulated_legs l
     WHERE direction = 'inbound' AND taken AND ended_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.id = l.reference)`;
  return rows.map(({ id }) => id);
}

/** Everything that must not be: what it is, and the ids of the calls of which it is so. */
export async function breaches(stage: Stage, asked: Asked): Promise<Map<string, string[]>> {
  const { sql, bus } = stage;
  const calls = await callsOf(stage);
  const byId = new Map(calls.map((call) => [call.id, call]));
  const ids = (some: readonly CallRow[]): string[] => some.map(({ id }) => id);
  /** Ids of different messages of the type, by call: the same message may come again. */
  const heard = (type: Extract<MessageType, `call.${string}` | 'dial.refused'>): Map<string, Set<string>> => {
    const messages = new Map<string, Set<string>>();
    for (const { id, data } of bus.heard(type)) {
      messages.set(data.call_id, (messages.get(data.call_id) ?? new Set()).add(id));
    }
    return messages;
  };
  const wrongCount = (type: 'call.started' | 'call.ended' | 'call.analyzed', of: CallRow[]) => {
    const messages = heard(type);
    const wanted = new Set(ids(of));
    return calls.filter(({ id }) => (messages.get(id)?.size ?? 0) !== (wanted.has(id) ? 1 : 0));
  };

  const refused = heard('dial.refused');
  const twice = await sql.$queryRaw<
    { id: string }[]
  >`SELECT reference::text AS id FROM simulated_legs GROUP BY reference HAVING count(*) > 1`;
  const nobodys = await sql.$queryRaw<{ id: string }[]>`SELECT reference::text AS id FROM simulated_legs l
     WHERE (direction = 'outbound' OR ended_at IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM calls c WHERE c.id = l.reference)`;
  const gaveUp = new Set(await callersWhoGaveUp(stage));
  // Each is asked for with a number of its own.
  const placedTwice = await sql.$queryRaw<
    { id: string }[]
  >`SELECT min(id::text) AS id FROM calls WHERE call_type = 'outbound' GROUP BY to_number HAVING count(*) > 1`;
  const lost = [...asked.single, ...asked.campaign, ...asked.inbound].filter(
    (id) => !byId.has(id) && !refused.has(id) && !gaveUp.has(id),
  );
  return new Map([
    ['dialled twice', twice.map(({ id }) => id)],
    ['placed twice', placedTwice.map(({ id }) => id)],
    ['at the carrier without a call', nobodys.map(({ id }) => id)],
    ['asked for and lost', lost],
    ['live still', ids(calls.filter(({ status }) => status !== 'completed'))],
    [
      'dialled wordlessly',
      ids(
        // Announced again if the dial had to take another slot.
        calls.filter(({ id, ofCampaign }) => ofCampaign !== heard('call.dialing').has(id)),
      ),
    ],
    [
      'without its one call.started',
      ids(
        wrongCount(
          'call.started',
          calls.filter((call) => call.isAnswered),
        ),
      ),
    ],
    ['without its one call.ended', ids(wrongCount('call.ended', calls))],
    ['without its one call.analyzed', ids(wrongCount('call.analyzed', calls))],
    ['in dead letters', await bus.deadLetters('telephony.dials')],
  ]);
}
