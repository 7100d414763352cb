import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import AjvJtd from 'ajv/dist/jtd.js';
import type { JsonObject } from '../json-object.ts';
import { checkParameters } from './check-parameters.ts';

/** All keywords of Ajv's vocabularies, and of its options and plugins. */
const KEYWORDS = [
  ...new Set([
    ...[new Ajv(), new Ajv2019(), new Ajv2020(), new AjvJtd.default()].flatMap(({ RULES }) =>
      Object.keys({ ...RULES.keywords, ...RULES.all }),
    ),
    ...['$async', '$data', '$merge', '$patch', 'discriminator', 'nullable', 'id', 'instanceof', 'typeof'],
    ...['formatMinimum', 'formatMaximum', 'transform', 'regexp', 'select', 'dynamicDefaults', 'xml'],
  ]),
];

const ALLOWED = new Set(
  [
    'type nullable enum properties required additionalProperties patternProperties propertyNames minProperties',
    'maxProperties dependencies items additionalItems contains minItems maxItems uniqueItems minLength maxLength',
    'pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf title description default example examples',
    'format deprecated readOnly writeOnly contentEncoding contentMediaType dependentRequired dependentSchemas',
    'prefixItems unevaluatedItems unevaluatedProperties minContains maxContains definitions $defs $comment',
  ].flatMap((line) => line.split(' ')),
);

describe('keywords of a tool schema', () => {
  it('covers the vocabularies', () => {
    expect(KEYWORDS.length).toBeGreaterThan(70);
    expect(KEYWORDS).toEqual(expect.arrayContaining(['$recursiveRef', '$dynamicRef', 'unevaluatedItems']));
  });

  const refused = KEYWORDS.filter((keyword) => !ALLOWED.has(keyword));
  it.each(refused)('refuses %s with its path, at the root and nested', (keyword) => {
    const value = [true, {}, 'a', 1].map((held) => ({ [keyword]: held }));
    for (const bad of value) {
      const nested: JsonObject = { properties: { a: { type: 'array', items: bad } } };
      expect(checkParameters(nested)).toMatchObject([
        { path: `parameters.properties.a.items.${keyword}`, code: 'not_allowed' },
      ]);
      if (keyword === '$schema' || keyword === '$id') continue;
      expect(checkParameters({ ...bad, properties: {} })).toMatchObject([
        { path: `parameters.${keyword}`, code: 'not_allowed', message: expect.stringContaining(keyword) },
      ]);
    }
  });

  it.each(['x-order', 'propertyOrdering'])('accepts %s, an annotation of generators', (keyword) => {
    const schema = { [keyword]: ['a'], properties: { a: { type: 'object', properties: {}, [keyword]: [] } } };
    expect(checkParameters(schema)).toEqual([]);
  });

  const samples: JsonObject = {
    type: 'object',
    nullable: true,
    enum: [1],
    properties: { b: { type: 'string' } },
    required: ['b'],
    dependencies: { b: ['c'] },
    dependentRequired: { b: ['c'] },
    dependentSchemas: { b: {} },
    patternProperties: { '^x': {} },
    definitions: { b: {} },
    $defs: { b: {} },
    items: { type: 'string' },
    prefixItems: [{}],
    pattern: '^a$',
    uniqueItems: true,
    deprecated: true,
    readOnly: true,
    writeOnly: true,
    examples: ['a'],
    title: 'A',
    description: 'A',
    default: 'a',
    example: 'a',
    format: 'date-time',
    contentEncoding: 'base64',
    contentMediaType: 'text/plain',
    $comment: 'a',
    ...Object.fromEntries(
      [
        'additionalProperties propertyNames additionalItems contains unevaluatedItems unevaluatedProperties',
      ].flatMap((line) => line.split(' ').map((name) => [name, {}])),
    ),
  };
  it.each([...ALLOWED])('allows %s', (keyword) => {
    const type = keyword === 'nullable' ? { type: 'string' } : {};
    const schema: JsonObject = { ...type, [keyword]: Object.hasOwn(samples, keyword) ? samples[keyword] : 1 };
    expect(checkParameters({ type: 'object', properties: { a: schema } } as JsonObject)).toEqual([]);
  });

  it('allows the keywords that generators write at the root of a schema', () => {
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'x', properties: {} };
    expect(checkParameters(schema)).toEqual([]);
  });
});
