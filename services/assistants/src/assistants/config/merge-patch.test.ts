import { describe, expect, it } from '@jest/globals';
import { mergePatch } from './merge-patch.ts';

/** RFC 7386, Appendix A: original, patch, result. As text, since `toEqual` is lenient. */
const APPENDIX: [original: string, patch: string, result: string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

describe('JSON Merge Patch (RFC 7386)', () => {
  it.each(APPENDIX)('merges %s with %s to %s', (original, patch, result) => {
    expect(JSON.stringify(mergePatch(JSON.parse(original), JSON.parse(patch)))).toBe(result);
  });

  it('keeps nulls inside lists, which it replaces completely', () => {
    const patch = JSON.parse('{"a":[null,{"b":null}]}');
    expect(mergePatch({ a: [{ b: 1, c: 2 }] }, patch)).toEqual({ a: [null, { b: null }] });
  });

  it('keeps the order of keys, and appends new ones', () => {
    const merged = mergePatch({ z: 1, y: { b: 1, a: 2 }, x: 3 }, { new: 0, x: 4, y: { c: 3, b: 5 } });
    expect(JSON.stringify(merged)).toBe('{"z":1,"y":{"b":5,"a":2,"c":3},"x":4,"new":0}');
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])(
    'treats %s as an ordinary key [general.22]',
    (name) => {
      const patch = JSON.parse(`{"${name}":{"polluted":true,"${name}":{"x":null,"y":1}}}`);
      const merged = mergePatch({}, patch);
      expect(JSON.stringify(merged)).toBe(`{"${name}":{"polluted":true,"${name}":{"y":1}}}`);
      expect(JSON.stringify(mergePatch(merged, JSON.parse(`{"${name}":{"${name}":null}}`)))).toBe(
        `{"${name}":{"polluted":true}}`,
      );
      expect(JSON.stringify(mergePatch(merged, JSON.parse(`{"${name}":null}`)))).toBe('{}');
      expect(mergePatch(merged, {})).not.toBe(merged);
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    },
  );
});

const RUNS = 10_000;
const MAX_DEPTH = 32;
const HOSTILE = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  '',
  '0',
  'length',
];
const NAMES = [...HOSTILE, 'a', 'b', 'voice', 'settings'];

describe(`${RUNS} random patches`, () => {
  // A failure names the seed; MERGE_SEED=… runs it again.
  const seed = Number(process.env.MERGE_SEED ?? Date.now() % 2 ** 32);

  it(`give the same as a reading of the RFC over Maps, share nothing, and modify no prototype (seed ${seed})`, () => {
    const random = mulberry32(seed);
    const own = Object.getOwnPropertyNames(Object.prototype).sort();
    let deepest = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const original = JSON.stringify(document(random));
      const patch = JSON.stringify(document(random));
      const target = JSON.parse(original);
      const change = JSON.parse(patch);
      const merged = mergePatch(target, change);
      const expected = toJson(referenceMerge(toMaps(JSON.parse(original)), toMaps(JSON.parse(patch))));
      const inputs = new Set([...objectsIn(target), ...objectsIn(change)]);
      const facts = {
        isRight: JSON.stringify(merged) === expected,
        leftAlone: JSON.stringify(target) === original && JSON.stringify(change) === patch,
        sharesNothing: !objectsIn(merged).some((object) => inputs.has(object)),
        isPlain: objectsIn(merged).every(isPlain),
      };
      if (Object.values(facts).includes(false)) {
        throw new Error(JSON.stringify({ seed, run, original, patch, expected, ...facts }));
      }
      deepest = Math.max(deepest, depthOf(change));
    }
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(own);
    for (const name of ['polluted', ...NAMES.filter((name) => !own.includes(name))])
      expect(name in {}).toBe(false);
    expect(deepest).toBe(MAX_DEPTH);
  });
});

type Random = () => number;

/** A small generator with the same sequence on every platform. */
function mulberry32(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Mostly small and wide documents, occasionally a narrow one of the maximum depth. */
function document(random: Random): unknown {
  return random() < 0.02 ? chain(random, MAX_DEPTH - Math.floor(random() * 3)) : value(random, 4);
}

function value(random: Random, levels: number): unknown {
  const kind = random();
  if (levels === 0 || kind < 0.3) return scalar(random);
  if (kind < 0.45) return list(random, () => value(random, levels - 1));
  return Object.fromEntries(list(random, () => [pick(random, NAMES), value(random, levels - 1)] as const));
}

function chain(random: Random, levels: number): unknown {
  if (levels === 1) return { a: scalar(random) };
  const inner = chain(random, levels - 1);
  if (random() < 0.1) return [inner];
  return Object.fromEntries([
    [pick(random, NAMES.slice(0, 2)), scalar(random)],
    ['a', inner],
  ]);
}

const scalar = (random: Random): unknown => pick(random, [null, null, true, 0, -1.5, '', 'text', 'polluted']);
const list = <T>(random: Random, make: () => T): T[] =>
  Array.from({ length: Math.floor(random() * 4) }, make);

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** A JSON value whose objects are Maps, so that no key is special. */
type Mapped = Map<string, Mapped> | Mapped[] | string | number | boolean | null;

function toMaps(json: unknown): Mapped {
  if (Array.isArray(json)) return json.map(toMaps);
  if (typeof json !== 'object' || json === null) return json as Mapped;
  return new Map(Object.entries(json).map(([name, inner]) => [name, toMaps(inner)]));
}

/** The pseudocode of section 2, word for word. */
function referenceMerge(target: Mapped | undefined, patch: Mapped): Mapped {
  if (!(patch instanceof Map)) return patch;
  const result = target instanceof Map ? target : new Map<string, Mapped>();
  for (const [name, inner] of patch) {
    if (inner === null) result.delete(name);
    else result.set(name, referenceMerge(result.get(name), inner));
  }
  return result;
}

/** Like JSON.stringify, which puts integer-like keys such as `0` first. */
function toJson(mapped: Mapped): string {
  if (Array.isArray(mapped)) return `[${mapped.map(toJson).join(',')}]`;
  if (!(mapped instanceof Map)) return JSON.stringify(mapped);
  const names = [...mapped.keys()];
  const ordered = [...names.filter((name) => name === '0'), ...names.filter((name) => name !== '0')];
  return `{${ordered.map((name) => `${JSON.stringify(name)}:${toJson(mapped.get(name) ?? null)}`).join(',')}}`;
}

function objectsIn(json: unknown): object[] {
  if (typeof json !== 'object' || json === null) return [];
  return [json, ...Object.values(json).flatMap(objectsIn)];
}

function isPlain(object: object): boolean {
  return Object.getPrototypeOf(object) === (Array.isArray(object) ? Array.prototype : Object.prototype);
}

function depthOf(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 0;
  return 1 + Math.max(0, ...Object.values(json).map(depthOf));
}
