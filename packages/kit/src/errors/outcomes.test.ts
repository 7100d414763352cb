import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  AppError,
  ackDecision,
  conflict,
  isConnectivityError,
  notFound,
  toHttpError,
  unlessNotFound,
} from './index.ts';

const withCode = (code: string | number, message = 'x'): Error => Object.assign(new Error(message), { code });

describe('isConnectivityError', () => {
  it.each([
    withCode('ECONNREFUSED'),
    withCode('57P01'),
    withCode('08006'),
    withCode('P1001'),
    withCode('P2024'),
    withCode('P2028', 'Transaction API error: Unable to start a transaction in the given time.'),
    withCode(320, 'Connection closed: 320 (CONNECTION-FORCED)'),
    Object.assign(new Error('init'), { errorCode: 'P1001' }),
    new Error('Connection terminated unexpectedly'),
    new Error('Query read timeout'),
    withCode('25P03', 'terminating connection due to idle-in-transaction timeout'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Channel closed'),
    new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    new Error('Command timed out'),
    new Error('outer', { cause: new Error('middle', { cause: withCode('ECONNRESET') }) }),
    new AggregateError([withCode('ECONNREFUSED')], 'all failed'),
    Object.assign(new Error('raw'), {
      code: 'P2010',
      meta: { driverAdapterError: { cause: { kind: 'DatabaseNotReachable' } } },
    }),
    new AppError('SERVICE_UNAVAILABLE', 'x'),
    new AppError('CREATE_FAILED', 'x', { cause: withCode('ECONNREFUSED') }),
  ])('recognizes %s', (err) => expect(isConnectivityError(err)).toBe(true));

  it.each([
    undefined,
    'ECONNREFUSED',
    new Error('x'),
    withCode('23505'),
    withCode('P2002'),
    withCode('P2028', 'Transaction API error: Transaction already closed'),
    new AppError('CARRIER_ERROR', 'x', { cause: withCode('ETIMEDOUT') }),
    notFound('Call'),
  ])('ignores %s', (err) => expect(isConnectivityError(err)).toBe(false));

  it('terminates on circular causes', () => {
    const err = new Error('x');
    err.cause = err;
    expect(isConnectivityError(err)).toBe(false);
  });
});

describe('unlessNotFound', () => {
  it('turns NOT_FOUND into undefined, and nothing else', async () => {
    expect(await unlessNotFound(Promise.resolve('found'))).toBe('found');
    expect(await unlessNotFound(Promise.reject(notFound('Call')))).toBeUndefined();
    for (const err of [conflict('x'), withCode('NOT_FOUND')])
      await expect(unlessNotFound(Promise.reject(err))).rejects.toBe(err);
  });
});

describe('ackDecision', () => {
  it.each([
    [withCode('ECONNREFUSED'), 9, 'hold'],
    [notFound('Call'), 1, 'dead'],
    [conflict('x'), 1, 'dead'],
    [new z.ZodError([]), 1, 'dead'],
    [new SyntaxError('x'), 1, 'dead'],
    [new AppError('RATE_LIMITED', 'x'), 1, 'retry'],
    [new AppError('INTERNAL_ERROR', 'x'), 1, 'retry'],
    [new Error('x'), 4, 'retry'],
    [new Error('x'), 5, 'dead'],
  ] as const)('%s on try %d', (err, tries, decision) => expect(ackDecision(err, tries, 5)).toBe(decision));
});

describe('toHttpError', () => {
  it('returns the envelope', () => {
    expect(toHttpError(notFound('Call'))).toEqual({
      status: 404,
      body: { success: false, error: { code: 'NOT_FOUND', message: 'Call not found' } },
      headers: {},
    });
  });

  it('hides the details of a foreign error', () => {
    const answer = toHttpError(new Error('password of the database is hunter2'));
    expect(answer.status).toBe(500);
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  it('returns 503 with Retry-After during an outage of a dependency', () => {
    expect(toHttpError(withCode('ECONNREFUSED'))).toMatchObject({
      status: 503,
      body: { error: { code: 'SERVICE_UNAVAILABLE' } },
      headers: { 'retry-after': '2' },
    });
  });

  it('rounds Retry-After up and accepts a custom body', () => {
    const httpBody = { success: false, errorMessage: 'x' };
    expect(toHttpError(new AppError('RATE_LIMITED', 'x', { retryAfterSeconds: 0.2, httpBody }))).toEqual({
      status: 429,
      body: httpBody,
      headers: { 'retry-after': '1' },
    });
  });
});
