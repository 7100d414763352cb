import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from '../json-object.ts';
import { checkParameters } from './check-parameters.ts';

const findings = (parameters: JsonObject | null): string[] =>
  checkParameters(parameters).map(({ path, code, message }) => {
    expect(message).toContain(path);
    return `${path} ${code}`;
  });
const record = (count: number, make: (i: number) => unknown): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, make(i)]));
const named = (count: number, make: (i: number) => unknown): JsonObject => ({
  type: 'object',
  properties: record(count, make),
});
const property = (schema: unknown): JsonObject => ({ type: 'object', properties: { a: schema } });

describe('parameters of a custom tool [tools.10]', () => {
  it.each<JsonObject | null>([
    null,
    {},
    { properties: {} },
    { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'x', type: 'object', properties: {} },
    property({ type: 'string', enum: ['one'], description: 'const' }),
    // Never compiled.
    { properties: {}, $defs: { a: { pattern: '(', nullable: true } } },
    property({ type: 'array', items: { type: 'object', properties: { b: { type: ['string', 'null'] } } } }),
    // Names of properties and data, none of them keywords.
    {
      properties: {
        not: { type: 'string' },
        const: {},
        if: { default: { oneOf: [] }, examples: [{ $ref: 'x' }] },
      },
    },
    JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{}},"required":["__proto__"]}'),
  ])('are declarable: %j', (parameters) => {
    expect(findings(parameters)).toEqual([]);
  });

  it('must not contain numbers that would be stored as null', () => {
    const schema: JsonObject = JSON.parse('{"properties":{"a":{"type":"number","minimum":1e400}}}');
    expect(findings(schema)).toEqual(['parameters too_big']);
  });

  it.each<[string, JsonObject]>([
    ['300 parameters', named(300, () => ({ minimum: 1 }))],
    ['300 nested ones', property(named(299, () => ({ type: 'string' })))],
    ['1,000 names and list items', property({ required: Array.from({ length: 1_000 }, (_, i) => `a${i}`) })],
    ['lists for a thousand names', property({ dependencies: record(500, () => ['a']) })],
    ['an enum of many lists', property({ enum: Array.from({ length: 600 }, (_, i) => [i]) })],
  ])('compile quickly: %s are too_big', (_, schema) => {
    expect(Buffer.byteLength(JSON.stringify(schema))).toBeLessThan(32 * 1024);
    expect(findings(schema)).toEqual(['parameters too_big']);
  });

  it('may have many values in an enum, and 299 parameters', () => {
    expect(findings(property({ enum: Array.from({ length: 3_000 }, (_, i) => `a${i}`) }))).toEqual([]);
    expect(findings(named(299, () => ({ type: 'string', description: 'x' })))).toEqual([]);
  });

  const unsupported = ['const', 'oneOf', 'anyOf', 'allOf', 'not', '$ref', 'if', 'then', 'else'];
  it.each(unsupported)('must not contain %s at any depth', (keyword) => {
    const bad = { [keyword]: {} };
    expect(findings({ properties: {}, ...bad })).toEqual([`parameters.${keyword} not_allowed`]);
    expect(findings(property(bad))).toEqual([`parameters.properties.a.${keyword} not_allowed`]);
    expect(findings(property({ type: 'object', properties: { b: bad } }))).toEqual([
      `parameters.properties.a.properties.b.${keyword} not_allowed`,
    ]);
    expect(findings(property({ items: { items: [bad] } }))).toEqual([
      `parameters.properties.a.items.items.0.${keyword} not_allowed`,
    ]);
    expect(findings(property({ additionalProperties: bad, dependencies: { b: ['a'], c: bad } }))).toEqual([
      `parameters.properties.a.additionalProperties.${keyword} not_allowed`,
      `parameters.properties.a.dependencies.c.${keyword} not_allowed`,
    ]);
  });

  it.each<[string, JsonObject]>([
    ['parameters.properties required', { type: 'object', required: [] }],
    ['parameters.properties invalid_type', { properties: [] }],
    ['parameters.type not_allowed', { type: 'string', properties: {} }],
    ['parameters.properties.1st invalid_format', { properties: { '1st': {} } }],
    ['parameters.properties. invalid_format', { properties: { '': {} } }],
    ['parameters.properties.a invalid_type', property('string')],
    ['parameters.required invalid_type', { properties: {}, required: 'a' }],
    ['parameters.required.1 not_allowed', { ...property({}), required: ['a', 'toString'] }],
    ['parameters.properties.a.minimum invalid_format', property({ minimum: 'one' })],
    ['parameters.properties.a.pattern invalid_format', property({ type: 'string', pattern: '(' })],
    ['parameters.properties.a.items.pattern invalid_format', property({ items: { pattern: '\\-' } })],
    [
      'parameters.properties.a.patternProperties.[ invalid_format',
      property({ patternProperties: { '[': {} } }),
    ],
    ['parameters.properties.a.nullable invalid_format', property({ nullable: true })],
    [
      'parameters.properties.a.nullable invalid_format',
      property({ type: ['string', 'null'], nullable: false }),
    ],
    ['parameters.properties.a.enum invalid_format', property({ enum: [] })],
    ['parameters too_big', property({ description: 'a'.repeat(70_000) })],
  ])('are refused: %s', (finding, parameters) => {
    expect(findings(parameters)).toEqual([finding]);
  });

  it('are checked without an exception, whatever they are', () => {
    const key = fc.constantFrom(
      'properties',
      'items',
      'type',
      'enum',
      '$id',
      'id',
      'required',
      '__proto__',
      '$defs',
    );
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(fc.constantFrom('string', 'object', 'x'), fc.integer(), fc.boolean(), fc.constant(null)),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie('json')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    fc.assert(
      fc.property(fc.array(fc.tuple(key, json), { maxLength: 4 }), (entries) => {
        expect(Array.isArray(checkParameters(Object.fromEntries(entries)))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
