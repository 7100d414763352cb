import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import AjvJtd from 'ajv/dist/jtd.js';
import { createArgumentCheck } from './check-arguments.ts';

/** All keywords of Ajv's vocabularies, and of its options and plugins. */
const KEYWORDS = [
  ...new Set([
    ...[new Ajv(), new Ajv2019(), new Ajv2020(), new AjvJtd.default()].flatMap(({ RULES }) =>
      Object.keys({ ...RULES.keywords, ...RULES.all }),
    ),
    ...['$async', '$data', '$merge', '$patch', 'discriminator', 'nullable', 'id', 'instanceof', 'typeof'],
    ...['formatMinimum', 'formatMaximum', 'transform', 'regexp', 'select', 'dynamicDefaults'],
  ]),
];
const VALUES = [true, 'a', ['a'], { a: { type: 'number' } }, { $data: '1/a' }];
const required = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
const MAX_MS = 60;
const TRIES = 10;

describe('any keyword in a stored schema', () => {
  const unhandled: unknown[] = [];
  const note = (err: unknown): void => void unhandled.push(err);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(() => void process.off('unhandledRejection', note));

  it.each(KEYWORDS)('%s: is checked in time, without a guarantee', async (keyword) => {
    for (const value of VALUES) {
      const schemas = [
        { ...required, [keyword]: value },
        { ...required, properties: { a: { type: 'number', [keyword]: value } } },
      ];
      for (const schema of schemas) {
        const onceMs = (): number => {
          const check = createArgumentCheck();
          const before = process.cpuUsage();
          for (const args of [{ a: 1 }, {}, { a: 'x' }]) {
            const verdict = check('workspace', schema, args);
            expect(verdict === null || typeof verdict === 'string').toBe(true);
          }
          const { user, system } = process.cpuUsage(before);
          return (user + system) / 1000;
        };
        // Processor time, not elapsed time; a collection of garbage may fall into one try, and not into all.
        const isInTime = Array.from({ length: TRIES }).some(() => onceMs() < MAX_MS);
        expect(isInTime).toBe(true);
      }
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it.each(['$async', 'const', 'oneOf', '$ref', 'if', 'unevaluatedProperties', 'discriminator'])(
    'with %s all other keywords are still enforced, at any level',
    (keyword) => {
      const check = createArgumentCheck();
      const b = { [keyword]: true, ...required };
      const schema = { $async: true, properties: { b: { type: 'array', items: b } } };
      expect(check('workspace', schema, { b: [{ a: 1 }] })).toBeNull();
      expect(check('workspace', schema, { b: [{}] })).toContain("required property 'a'");
    },
  );
});
