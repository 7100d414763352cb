import { describe, expect, it } from '@jest/globals';
import { fieldErrors, hasErrorBelow } from './field-errors.ts';
import { withValueAt } from './json.ts';
import { mergePatch } from './merge-patch.ts';
import { brokenPlaceholders, findPlaceholders, placeholderNames } from './placeholders.ts';
import { toRows, toSchema } from './schema-rows.ts';
import { mergeThreeWay } from './three-way.ts';

describe('mergePatch', () => {
  it('has what differs only, null for what is gone, and whole arrays', () => {
    const from = { a: 1, b: { c: 2, d: 3 }, list: [1, 2], gone: true };
    expect(mergePatch(from, { a: 1, b: { c: 2, d: 4 }, list: [2] })).toEqual({
      b: { d: 4 },
      list: [2],
      gone: null,
    });
    expect(mergePatch(from, { gone: true, list: [1, 2], b: { d: 3, c: 2 }, a: 1 })).toEqual({});
  });
});

describe('mergeThreeWay', () => {
  const base = { firstMessage: 'Hi', voice: { voiceId: 'aria', speed: 1 } };

  it('keeps changes of different values together', () => {
    const mine = { ...base, firstMessage: 'Hello' };
    const theirs = { ...base, voice: { voiceId: 'aria', speed: 2 } };
    expect(mergeThreeWay(base, mine, theirs)).toEqual({
      merged: { firstMessage: 'Hello', voice: { voiceId: 'aria', speed: 2 } },
      conflicts: [],
      taken: [['voice', 'speed']],
    });
  });

  it('keeps both versions of a value that both changed', () => {
    const { merged, conflicts } = mergeThreeWay(
      base,
      { ...base, firstMessage: 'Mine' },
      { ...base, firstMessage: 'Theirs' },
    );
    expect(merged.firstMessage).toBe('Mine');
    expect(conflicts).toEqual([{ path: ['firstMessage'], base: 'Hi', mine: 'Mine', theirs: 'Theirs' }]);
  });

  it('merges lists of ids entry by entry', () => {
    const lists = (ids: string[]) => ({ toolIds: ids });
    const { merged, conflicts } = mergeThreeWay(lists(['a', 'b']), lists(['b', 'c']), lists(['a', 'b', 'd']));
    expect([merged, conflicts]).toEqual([lists(['b', 'd', 'c']), []]);
  });

  it('takes a removal, and no conflict from the same change', () => {
    const theirs = { voice: base.voice };
    expect(mergeThreeWay(base, base, theirs).merged).toEqual(theirs);
    expect(mergeThreeWay(base, theirs, theirs).conflicts).toEqual([]);
  });
});

describe('placeholders', () => {
  it('are found as calls find them', () => {
    expect(findPlaceholders('Hi {{ name }}!')).toEqual([{ name: 'name', from: 3, to: 13 }]);
    expect(placeholderNames('{{a}} {{order no}} {{a}}', '{{b}} {c} {{}}')).toEqual(['a', 'order no', 'b']);
  });

  it('that are broken are found', () => {
    expect(brokenPlaceholders('{{a}} {{b} {{}}')).toEqual([
      { from: 6, to: 8 },
      { from: 11, to: 13 },
      { from: 13, to: 15 },
    ]);
  });
});

describe('schema rows', () => {
  const schema = {
    type: 'object',
    properties: {
      day: { type: 'string', description: 'Which day', enum: ['Monday', 'Friday'] },
      guests: { type: 'integer', minimum: 1 },
    },
    required: ['day'],
    additionalProperties: false,
  };

  it('lose nothing on the way to a form and back', () => {
    const rows = toRows(schema);
    expect(rows).toHaveLength(2);
    expect(toSchema(rows ?? [], schema)).toEqual(schema);
    expect(toSchema(toRows(null) ?? [], null)).toBeNull();
  });

  it('are not offered for a schema that they cannot show', () => {
    expect(toRows({ ...schema, patternProperties: {} })).toBeUndefined();
    expect(toRows({ properties: { a: { type: ['string', 'null'] } } })).toBeUndefined();
    expect(toRows({ properties: { a: { type: 'integer', enum: [1, 2] } } })).toBeUndefined();
  });
});

describe('field errors', () => {
  const errors = fieldErrors([
    { path: 'config.voice.voiceId', message: 'config.voice.voiceId must be one of aria, miles' },
    { path: 'config.voice.voiceId', message: 'second' },
  ]);

  it('are the first ones of their fields, without the path', () => {
    expect(errors).toEqual({ 'config.voice.voiceId': 'Must be one of aria, miles' });
    expect(hasErrorBelow(errors, 'config.voice')).toBe(true);
    expect(hasErrorBelow(errors, 'config.voi')).toBe(false);
  });
});

describe('withValueAt', () => {
  it('changes a copy, and removes by undefined', () => {
    const object = { a: { b: 1 } };
    expect(withValueAt(object, ['a', 'c'], 2)).toEqual({ a: { b: 1, c: 2 } });
    expect(withValueAt(object, ['a', 'b'], undefined)).toEqual({ a: {} });
    expect(object).toEqual({ a: { b: 1 } });
  });
});
