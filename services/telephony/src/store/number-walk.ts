import type { Sql } from '@parley/kit/db';
import type { NumberWalk } from '../domain/numbers/walk-numbers.ts';
import { NUMBER_COLUMNS, type NumberRow, toNumber } from './number-rows.ts';

const WALK = `SELECT ${NUMBER_COLUMNS} FROM phone_numbers n
  WHERE ($1::uuid IS NULL OR n.id > $1::uuid) AND ($2::uuid IS NULL OR n.id <= $2::uuid) ORDER BY n.id LIMIT $3::int`;

export function createNumberWalk(sql: Sql): NumberWalk {
  return async ({ after, upTo, limit }) => {
    const rows = await sql.$queryRawUnsafe<NumberRow[]>(WALK, after, upTo, limit);
    return rows.map(toNumber);
  };
}
