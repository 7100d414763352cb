import { type Sql, uniqueViolation } from '@parley/kit/db';
import { conflict } from '@parley/kit/errors';
import type { PhoneNumber } from '../domain/numbers/phone-number.ts';
import type { NumberStore } from '../domain/numbers/ports.ts';
import {
  NUMBER_COLUMNS,
  type NumberRow,
  toNumber,
  toNumberView,
  VIEW_COLUMNS,
  VIEW_JOINS,
} from './number-rows.ts';

const FIND = `SELECT ${VIEW_COLUMNS} FROM phone_numbers n ${VIEW_JOINS}
  WHERE n.workspace_id = $1::uuid AND n.id = $2::uuid`;
const FIND_BY_NUMBER = `SELECT ${NUMBER_COLUMNS} FROM phone_numbers n
  WHERE n.workspace_id = $1::uuid AND n.phone_number = $2`;
const FIND_BY_DIGITS = `SELECT ${NUMBER_COLUMNS} FROM phone_numbers n WHERE n.phone_number = $1`;
const FIND_MANY = `SELECT ${NUMBER_COLUMNS} FROM phone_numbers n WHERE n.id = ANY ($1::uuid[])`;
const LOCK = `SELECT ${NUMBER_COLUMNS} FROM phone_numbers n
  WHERE n.id = $1::uuid AND ($2::uuid IS NULL OR n.workspace_id = $2::uuid) FOR UPDATE`;
const LOCK_BY_AGENT = `SELECT ${NUMBER_COLUMNS} FROM phone_numbers n
  WHERE n.workspace_id = $1::uuid AND (n.inbound_agent_id = $2::uuid OR n.outbound_agent_id = $2::uuid)
  ORDER BY n.id FOR UPDATE`;

// strpos, not LIKE: what is searched for is plain text. One statement, so that items and total tell of one moment.
const PAGE = `
  WITH matches AS NOT MATERIALIZED (
    SELECT id, created_at FROM phone_numbers
    WHERE workspace_id = $1::uuid
      AND ($2::text IS NULL OR strpos(phone_number, $2) > 0 OR strpos(lower(nickname), lower($2)) > 0)
  ), page AS (
    SELECT id FROM matches ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4
  )
  SELECT t.total, ${VIEW_COLUMNS}
  FROM (SELECT count(*)::int AS total FROM matches) t
  LEFT JOIN (page JOIN phone_numbers n USING (id)) ON true ${VIEW_JOINS}
  ORDER BY n.created_at DESC, n.id DESC`;

const INSERT = `
  INSERT INTO phone_numbers (id, workspace_id, phone_number, nickname, provider, is_active, max_cps, inbound_agent_id,
    outbound_agent_id, inbound_webhook_url, version, created_at, updated_at, secrets)
  VALUES ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::float8, $8::uuid, $9::uuid, $10, $11, $12::timestamptz,
    $13::timestamptz, $14)`;
const INSERT_CLOCK = `INSERT INTO number_clocks (phone_number_id, next_dial_at) VALUES ($1::uuid, $2::timestamptz)`;
const SAVE = `
  UPDATE phone_numbers SET is_active = $3, max_cps = $4::float8, inbound_agent_id = $5::uuid,
    outbound_agent_id = $6::uuid, inbound_webhook_url = $7, version = $8, updated_at = $9::timestamptz
  WHERE workspace_id = $1::uuid AND id = $2::uuid`;
const REMOVE = 'DELETE FROM phone_numbers WHERE workspace_id = $1::uuid AND id = $2::uuid';
const SECRETS = 'SELECT secrets FROM phone_numbers WHERE workspace_id = $1::uuid AND id = $2::uuid';

export function createNumberStore(sql: Sql): NumberStore {
  const first = async (query: Promise<NumberRow[]>): Promise<PhoneNumber | undefined> => {
    const [row] = await query;
    return row && toNumber(row);
  };

  return {
    find: async (workspaceId, id) => {
      const [row] = await sql.$queryRawUnsafe<NumberRow[]>(FIND, workspaceId, id);
      return row && toNumberView(row);
    },
    findByNumber: (workspaceId, phoneNumber) =>
      first(sql.$queryRawUnsafe<NumberRow[]>(FIND_BY_NUMBER, workspaceId, phoneNumber)),
    findByDigits: (phoneNumber) => first(sql.$queryRawUnsafe<NumberRow[]>(FIND_BY_DIGITS, phoneNumber)),
    findById: (id) => first(sql.$queryRawUnsafe<NumberRow[]>(FIND_MANY, [id])),
    findMany: async (ids) => {
      const rows = await sql.$queryRawUnsafe<NumberRow[]>(FIND_MANY, [...ids]);
      return rows.map(toNumber);
    },
    page: async (workspaceId, { search, limit, offset }) => {
      const values = [workspaceId, search ?? null, limit, offset];
      const rows = await sql.$queryRawUnsafe<(NumberRow & { total: number })[]>(PAGE, ...values);
      const items = rows.filter(({ id }) => id !== null).map(toNumberView);
      return { items, total: rows[0]?.total ?? 0 };
    },
    insert: async (tx, number, sealedSecrets) => {
      try {
        await tx.$executeRawUnsafe(INSERT, ...valuesOf(number), sealedSecrets);
      } catch (err) {
        if (uniqueViolation(err)) throw conflict('This phone number is connected already');
        throw err;
      }
      await tx.$executeRawUnsafe(INSERT_CLOCK, number.id, number.createdAt.toISOString());
    },
    lock: (tx, id, workspaceId) => first(tx.$queryRawUnsafe<NumberRow[]>(LOCK, id, workspaceId ?? null)),
    lockByAgent: async (tx, workspaceId, agentId) => {
      const rows = await tx.$queryRawUnsafe<NumberRow[]>(LOCK_BY_AGENT, workspaceId, agentId);
      return rows.map(toNumber);
    },
    save: async (tx, number) => {
      const { workspaceId, id, isActive, maxCps, inboundAgentId, outboundAgentId } = number;
      const assignment = [isActive, maxCps, inboundAgentId, outboundAgentId, number.inboundWebhookUrl];
      const edition = [number.version, number.updatedAt.toISOString()];
      await tx.$executeRawUnsafe(SAVE, workspaceId, id, ...assignment, ...edition);
    },
    remove: async (tx, { workspaceId, id }) => {
      await tx.$executeRawUnsafe(REMOVE, workspaceId, id);
    },
    sealedSecrets: async (workspaceId, id) => {
      const [row] = await sql.$queryRawUnsafe<{ secrets: string }[]>(SECRETS, workspaceId, id);
      return row?.secrets;
    },
    read: async (tx, { workspaceId, id }) => {
      const [row] = await tx.$queryRawUnsafe<NumberRow[]>(FIND, workspaceId, id);
      if (!row) throw new Error(`phone number ${id} vanished while it was held`);
      return toNumberView(row);
    },
  };
}

function valuesOf(number: PhoneNumber): unknown[] {
  return [
    number.id,
    number.workspaceId,
    number.phoneNumber,
    number.nickname,
    number.provider,
    number.isActive,
    number.maxCps,
    number.inboundAgentId,
    number.outboundAgentId,
    number.inboundWebhookUrl,
    number.version,
    number.createdAt.toISOString(),
    number.updatedAt.toISOString(),
  ];
}
