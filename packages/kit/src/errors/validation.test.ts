import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { AppError } from './app-error.ts';
import { parseInput, zodDetails } from './validation.ts';

const schema = z.strictObject({
  name: z.string().min(1).max(5),
  kind: z.enum(['a', 'b']).optional(),
  id: z.uuid().optional(),
  contacts: z
    .array(z.object({ phone_number: z.string().regex(/^\+\d+$/, 'must be a phone number in E.164 form') }))
    .optional(),
  window: z.discriminatedUnion('type', [z.object({ type: z.literal('x'), n: z.number() })]).optional(),
  to: z.union([z.string(), z.number()]).optional(),
  shape: z.union([z.object({ a: z.string() }), z.object({ b: z.object({ c: z.number() }) })]).optional(),
  headers: z.record(z.string().regex(/^[a-z-]+$/, 'must be a header name'), z.string()).optional(),
  speed: z.number().min(0.5).max(2).optional(),
  old: z.never().optional(),
  agent: z
    .string()
    .refine((value) => value === 'known', { error: 'No such assistant', params: { code: 'unknown_id' } })
    .optional(),
});

function failure(input: unknown): AppError {
  try {
    parseInput(schema, input);
  } catch (err) {
    if (err instanceof AppError) return err;
    throw err;
  }
  throw new Error('nothing was wrong');
}

function first(input: Record<string, unknown>) {
  return failure({ name: 'x', ...input }).details?.[0];
}

describe('parseInput', () => {
  it('returns the parsed value', () => {
    expect(parseInput(schema, { name: 'x' })).toEqual({ name: 'x' });
  });

  it('distinguishes missing from invalid fields', () => {
    expect(failure({}).details).toEqual([{ path: 'name', code: 'required', message: 'name is required' }]);
    expect(failure({ name: null }).details?.[0]).toMatchObject({
      code: 'invalid_type',
      message: 'name must be a string',
    });
    const body = z.object({ kind: z.enum(['a']) });
    expect(() => parseInput(body, {})).toThrow('kind is required');
    expect(() => parseInput(body, [])).toThrow('The body must be an object');
  });

  it('reports the first field in the message and all in the details', () => {
    const err = failure({
      name: 'too long',
      contacts: [{ phone_number: '+1' }, { phone_number: '12' }],
      extra: 1,
    });
    expect(err).toMatchObject({
      code: 'VALIDATION_FAILED',
      status: 422,
      message: 'name must have at most 5 characters',
    });
    expect(err.details).toEqual([
      { path: 'name', code: 'too_big', message: 'name must have at most 5 characters' },
      {
        path: 'contacts.1.phone_number',
        code: 'invalid_format',
        message: 'contacts.1.phone_number must be a phone number in E.164 form',
      },
      { path: 'extra', code: 'not_allowed', message: 'extra is not a known field' },
    ]);
  });

  it.each([
    [{ name: '' }, 'name', 'too_small', 'name must not be empty'],
    [{ kind: 'c' }, 'kind', 'not_allowed', 'kind must be one of "a", "b"'],
    [{ id: '1' }, 'id', 'invalid_format', 'id must be a UUID'],
    [{ speed: 3 }, 'speed', 'too_big', 'speed must be at most 2'],
    [{ speed: 0 }, 'speed', 'too_small', 'speed must be at least 0.5'],
    [{ window: { type: 'y' } }, 'window.type', 'not_allowed', 'window.type must be "x"'],
    [{ window: {} }, 'window.type', 'required', 'window.type is required'],
    [{ window: { type: 'x' } }, 'window.n', 'required', 'window.n is required'],
    [{ to: true }, 'to', 'invalid_type', 'to must be a string or a number'],
    [{ shape: { b: { c: 'x' } } }, 'shape.b.c', 'invalid_type', 'shape.b.c must be a number'],
    [{ headers: { 'X Y': 'v' } }, 'headers.X Y', 'invalid_format', 'headers.X Y must be a header name'],
    [{ headers: { x: 1 } }, 'headers.x', 'invalid_type', 'headers.x must be a string'],
    [{ old: 1 }, 'old', 'not_allowed', 'old is not allowed'],
    [{ speed: 'fast' }, 'speed', 'invalid_type', 'speed must be a number'],
    [{ agent: 'other' }, 'agent', 'unknown_id', 'No such assistant'],
  ])('%j', (input, path, code, message) => {
    expect(first(input)).toEqual({ path, code, message });
  });

  it('adds the field to messages of a schema without it', () => {
    expect(failure({ name: 'x', agent: 'other' }).message).toBe('agent: No such assistant');
  });

  it('never shows the sent value', () => {
    const err = failure({
      name: 'x',
      id: 'hunter2',
      kind: 'hunter2',
      contacts: [{ phone_number: 'hunter2' }],
    });
    expect(err.details).toHaveLength(3);
    expect(JSON.stringify([err.message, err.details])).not.toContain('hunter2');
  });

  it('limits the size of the response, however many errors there are', () => {
    expect(failure({ name: 'x', contacts: Array(5_000).fill({}) }).details).toHaveLength(100);
  });

  it('limits the length of paths, which contain names of the client', () => {
    const { details = [], message } = failure({ name: 'x', ['\u{1f600}'.repeat(16_000)]: 1 });
    const path = `${'\u{1f600}'.repeat(99)}…`;
    expect(details).toEqual([{ path, code: 'not_allowed', message: `${path} is not a known field` }]);
    expect(message).toBe(`${path} is not a known field`);
  });
});

describe('zodDetails', () => {
  it('prefixes each path and recognizes a missing value by itself', () => {
    const { error } = z.object({ voice: z.object({ voiceId: z.string() }) }).safeParse({ voice: {} });
    expect(error && zodDetails(error, 'config')).toEqual([
      { path: 'config.voice.voiceId', code: 'required', message: 'config.voice.voiceId is required' },
    ]);
  });
});
