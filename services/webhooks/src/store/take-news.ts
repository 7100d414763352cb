import { type DedicatedConnection, gather, isTransactionConflict, type Sql } from '@parley/kit/db';
import { onceEach } from '@parley/kit/inbox';
import type { Clock } from '@parley/kit/time';
import type { NewEvent } from '../domain/events/make-event.ts';
import type { EndpointNews, News, TakeNews } from '../domain/events/ports.ts';
import { addEvents } from './add-events.ts';
import { lockCalls } from './call-lock.ts';
import { inTransaction, sqlOf } from './in-transaction.ts';
import { supersedeOlder } from './supersede-older.ts';

const MOST_TRIES = 5;

/**
 * `TakeNews` over the inbox of this database. What comes while a transaction is under way is in the next one, so that a
 * rush of messages costs few of them; of one that can't be written each is tried alone.
 */
export function createTakeNews(connection: DedicatedConnection, clock: Clock, consumer: string): TakeNews {
  const write = async (all: News[], tries = 1): Promise<boolean[]> => {
    try {
      return await inTransaction(connection, (client) => takeAll(sqlOf(client), { all, clock, consumer }));
    } catch (err) {
      if (!isTransactionConflict(err) || tries === MOST_TRIES) throw err;
      return write(all, tries + 1);
    }
  };
  return gather((all: News[]) => write(all));
}

type Batch = { all: News[]; clock: Clock; consumer: string };

async function takeAll(tx: Sql, { all, clock, consumer }: Batch): Promise<boolean[]> {
  const isNew = await onceEach(
    tx,
    consumer,
    all.map(({ messageId }) => messageId),
  );
  const unheard = all.filter((_, index) => isNew[index]);
  if (unheard.length === 0) return isNew;
  const events = unheard.flatMap(({ event }) => event ?? []);
  if (events.length > 0)
    await lockCalls(
      tx,
      events.map(({ callId }) => callId),
    );
  await noteEndpoints(
    tx,
    unheard.map(({ endpoint }) => endpoint),
  );
  for (const round of oneOfEach(events)) {
    await supersedeOlder(tx, round);
    await addEvents(tx, round, clock.now());
  }
  return isNew;
}

/** In rounds: what is said twice of a call, as two editions of an event, is written as if it had come one after the other. */
function oneOfEach(events: readonly NewEvent[]): NewEvent[][] {
  const rounds: NewEvent[][] = [];
  const told = new Map<string, number>();
  for (const event of events) {
    const key = `${event.callId} ${event.event}`;
    const turn = told.get(key) ?? 0;
    told.set(key, turn + 1);
    const round = rounds[turn];
    if (round) round.push(event);
    else rounds.push([event]);
  }
  return rounds;
}

/**
 * Asked first: a conflict locks the row until the commit, and calls of one assistant would wait for each other. In the
 * order of their ids, so that two transactions never wait for each other in a circle.
 */
const NOTE = `
INSERT INTO endpoints (agent_id, workspace_id, version, url)
SELECT DISTINCT ON (agent_id) agent_id, workspace_id, version, url
FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[]) AS told (agent_id, workspace_id, version, url)
WHERE NOT EXISTS (SELECT FROM endpoints e WHERE e.agent_id = told.agent_id AND e.version >= told.version)
ORDER BY agent_id, version DESC
ON CONFLICT (agent_id) DO UPDATE SET version = excluded.version, url = excluded.url, unresponsive = false
WHERE endpoints.version < excluded.version`;

async function noteEndpoints(tx: Sql, told: readonly EndpointNews[]): Promise<void> {
  await tx.$executeRawUnsafe(
    NOTE,
    told.map(({ agentId }) => agentId),
    told.map(({ workspaceId }) => workspaceId),
    told.map(({ version }) => version),
    told.map(({ url }) => url),
  );
}
