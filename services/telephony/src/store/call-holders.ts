import { gather, type Sql } from '@parley/kit/db';
import type { CallWrites } from '../domain/calls/ports.ts';

const HELD = `
  SELECT c.id::text, coalesce(w.expires_at > clock_timestamp(), false) AS lives
  FROM json_to_recordset($1::json) AS given (id uuid, worker_id uuid, fence int)
  JOIN calls c ON c.id = given.id AND c.worker_id = given.worker_id AND c.fence = given.fence
    AND c.status <> 'completed'
  LEFT JOIN call_workers w ON w.id = c.worker_id`;

type Question = { id: string; worker_id: string; fence: number };
type Row = { id: string; lives: boolean };

/** Those who ask in one breath cost one statement. */
export function createCallHolders(sql: Sql): CallWrites['holds'] {
  const ask = gather(async (questions: Question[]) => {
    const rows = await sql.$queryRawUnsafe<Row[]>(HELD, JSON.stringify(questions));
    const lives = new Map(rows.map((row) => [row.id, row.lives]));
    return questions.map(({ id }) => lives.get(id));
  });
  return async ({ workerId }, { id, fence }) => {
    const holderLives = await ask({ id, worker_id: workerId, fence });
    if (holderLives === false) throw new Error('The lease of this worker has run out');
    return holderLives ?? false;
  };
}
