import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { SERVICES } from '@parley/devstack';
import { sqlClient, testDatabase } from '@parley/testkit';

type Column = { type: string; nullable: boolean };
type Tables = Record<string, Record<string, Column>>;

/** What Prisma makes of a scalar type without `@db.…`. */
const TYPES: Record<string, string> = {
  String: 'text',
  Int: 'int4',
  BigInt: 'int8',
  Float: 'float8',
  Boolean: 'bool',
  DateTime: 'timestamp',
  Json: 'jsonb',
  Bytes: 'bytea',
};
const NATIVE: Record<string, string> = {
  Uuid: 'uuid',
  SmallInt: 'int2',
  Timestamptz: 'timestamptz',
  Json: 'json',
  JsonB: 'jsonb',
  Text: 'text',
  DoublePrecision: 'float8',
  Date: 'date',
};

/** Tables and columns of a Prisma schema. */
function readSchema(source: string): Tables {
  const models = [...source.matchAll(/^model (\w+) \{([\s\S]*?)^\}/gm)];
  const names = new Set(models.map(([, name]) => name));
  return Object.fromEntries(
    models.map(([, name = '', body = '']) => [
      /@@map\("(.+?)"\)/.exec(body)?.[1] ?? name,
      Object.fromEntries(body.split('\n').flatMap((line) => readField(line, names))),
    ]),
  );
}

function readField(line: string, models: Set<string | undefined>): [string, Column][] {
  const [, name, type = '', modifier] = /^\s+(\w+)\s+(\w+(?:\(".*?"\))?)(\?|\[\])?/.exec(line) ?? [];
  if (name === undefined || models.has(type)) return [];
  const native = /@db\.(\w+)/.exec(line)?.[1];
  const unsupported = /^Unsupported\("(.*)"\)/.exec(type)?.[1];
  const base = unsupported ?? (native ? NATIVE[native] : TYPES[type]) ?? `unknown ${type} ${native}`;
  const column = { type: modifier === '[]' ? `_${base}` : base, nullable: modifier === '?' };
  return [[/@map\("(.+?)"\)/.exec(line)?.[1] ?? name, column]];
}

async function readDatabase(url: string): Promise<Tables> {
  const sql = sqlClient(url);
  try {
    const rows = await sql.$queryRaw<
      { table: string; name: string; type: string; nullable: boolean }[]
    >`SELECT table_name AS "table", column_name AS name, udt_name AS type, is_nullable = 'YES' AS nullable
       FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '_prisma_migrations'`;
    const tables: Tables = {};
    for (const { table, name, type, nullable } of rows) {
      tables[table] = { ...tables[table], [name]: { type, nullable } };
    }
    return tables;
  } finally {
    await sql.close();
  }
}

describe.each(SERVICES)('the tables of %s', (service) => {
  it('are the same in prisma/schema.prisma and after all migrations', async () => {
    const schema = readSchema(await readFile(`services/${service}/prisma/schema.prisma`, 'utf8'));
    const database = await testDatabase(service);
    try {
      expect(schema).toEqual(await readDatabase(database.url));
    } finally {
      await database.drop();
    }
  });
});
