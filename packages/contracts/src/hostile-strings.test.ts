import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { allEndpoints } from './endpoints/index.ts';
import { emailAddress } from './shapes/dashboard.ts';
import { timeZone, uuid } from './shapes/primitives.ts';
import { transferDestination } from './shapes/tool.ts';
import {
  customToolChange,
  customToolFields,
  nativeToolChanges,
  nativeToolFields,
} from './shapes/tool-fields.ts';

type Check = { _zod: { def: { check: string; abort?: boolean; tx?: unknown } } };
type Def = { type: string; checks?: Check[] } & Record<string, unknown>;

const isSchema = (value: unknown): value is z.ZodType => value instanceof z.ZodType;
const defOf = (schema: z.ZodType) => schema._zod.def as unknown as Def;

function partsOf(def: Def): z.ZodType[] {
  const getter = typeof def.getter === 'function' ? [def.getter()] : [];
  const shape = Object.values((def.shape ?? {}) as object);
  const direct = ['innerType', 'element', 'keyType', 'valueType', 'in', 'out', 'left', 'right', 'rest'];
  const many = [def.options, def.items].flatMap((parts) => (Array.isArray(parts) ? parts : []));
  return [...direct.map((key) => def[key]), ...many, ...shape, ...getter].filter(isSchema);
}

/** Every schema inside of a request, by its first path. */
function schemasOfRequests(): Map<z.ZodType, string> {
  const found = new Map<z.ZodType, string>();
  const visit = (schema: z.ZodType, name: string): void => {
    if (found.has(schema)) return;
    found.set(schema, name);
    const def = defOf(schema);
    const names = new Map(Object.entries((def.shape ?? {}) as object).map(([key, part]) => [part, key]));
    for (const part of partsOf(def)) visit(part, names.has(part) ? `${name}.${names.get(part)}` : name);
  };
  for (const { id, params, query, body } of allEndpoints)
    for (const [kind, schema] of Object.entries({ params, query, body }))
      if (isSchema(schema)) visit(schema, `${id} ${kind}`);
  const tools = { ...nativeToolFields, customToolFields, customToolChange };
  for (const [name, schema] of Object.entries(tools)) visit(schema, name);
  for (const [name, schema] of Object.entries(nativeToolChanges)) visit(schema, name);
  return found;
}

const requests = schemasOfRequests();

/** Checks that take longer than a comparison of lengths; `trim()` and `toLowerCase()` take one pass. */
const isCostly = ({ _zod: { def } }: Check): boolean => ['string_format', 'custom'].includes(def.check);
const isMaximum = ({ _zod: { def } }: Check): boolean => def.check === 'max_length';

describe('strings of requests', () => {
  it('are all found here', () => {
    for (const schema of [
      emailAddress,
      timeZone,
      uuid,
      transferDestination,
      customToolFields.shape.tool_name,
    ])
      expect(requests.has(schema)).toBe(true);
    expect(requests.size).toBeGreaterThan(300);
  });

  // Without `abort` zod runs the later checks on a string that is already too long.
  it('are not checked further if they are too long', () => {
    const unbounded = [...requests].filter(([schema]) => {
      const { type, checks = [] } = defOf(schema);
      if (type !== 'string') return false;
      const maximum = checks.findIndex(isMaximum);
      const isBounded = maximum >= 0 && checks[maximum]?._zod.def.abort === true;
      if (maximum >= 0) return !isBounded && checks.slice(maximum + 1).some(isCostly);
      return checks.some(({ _zod: { def } }) => def.check === 'custom');
    });
    expect(unbounded.map(([, name]) => name)).toEqual([]);
  });

  const LENGTH = 100_000;
  const STARTS = ['', 'https://', 'a@', 'sip:a@', '+1', '2026-03-14T00:00:00.', '::/'];
  const UNITS = ['a.', '@', '.', '-u-a', '0', ':', ' ', 'a'];
  const texts = STARTS.flatMap((start) =>
    UNITS.map((unit) => `${start}${unit.repeat(LENGTH / unit.length)}!@`),
  );

  it('are refused or accepted at once, whatever they contain', () => {
    const slow: string[] = [];
    for (const [schema, name] of requests) {
      const { type, checks = [], format } = defOf(schema);
      if (type !== 'union' && type !== 'pipe' && format === undefined && !checks.some(isCostly)) continue;
      // The first slow text of a schema is enough: one takes seconds.
      const culprit = texts.find((text) => {
        const started = performance.now();
        schema.safeParse(text);
        return performance.now() - started > 1_000;
      });
      if (culprit !== undefined) slow.push(`${name}: ${culprit.slice(0, 30)}`);
    }
    expect(slow).toEqual([]);
  }, 60_000);
});
