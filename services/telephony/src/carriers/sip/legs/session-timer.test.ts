import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { IncomingMessage, IncomingResponseMessage } from 'sip.js/lib/core/index.js';
import { createSessionTimer, longerTerms, type SessionTimer, sessionTerms } from './session-timer.ts';

let happened: string[];
let timer: SessionTimer;
beforeEach(() => {
  jest.useFakeTimers();
  happened = [];
  timer = createSessionTimer({
    refresh: () => happened.push('refresh'),
    onExpired: () => happened.push('expired'),
  });
});
afterEach(() => {
  timer.stop();
  jest.useRealTimers();
});

describe('the timer of a session [sip.5]', () => {
  it('refreshes at half its interval', () => {
    timer.start({ seconds: 600, isOurs: true });
    jest.advanceTimersByTime(299_000);
    expect(happened).toEqual([]);
    jest.advanceTimersByTime(2_000);
    expect(happened).toEqual(['refresh']);
  });

  it('repeats a refresh that has failed, until the session ends', () => {
    timer.start({ seconds: 90, isOurs: true });
    jest.advanceTimersByTime(45_000);
    timer.retry(10_000);
    jest.advanceTimersByTime(10_000);
    expect(happened).toEqual(['refresh', 'refresh']);
    timer.retry(10_000);
    jest.advanceTimersByTime(100_000);
    expect(happened).toEqual(['refresh', 'refresh', 'expired']);
  });

  it('starts over with each refresh, also with one of the far end', () => {
    timer.start({ seconds: 90, isOurs: false });
    jest.advanceTimersByTime(55_000);
    timer.start({ seconds: 90, isOurs: false });
    jest.advanceTimersByTime(55_000);
    expect(happened).toEqual([]);
    jest.advanceTimersByTime(10_000);
    expect(happened).toEqual(['expired']);
  });

  it('stops with the leg: a refresh that fails afterwards is not repeated', () => {
    timer.start({ seconds: 90, isOurs: true });
    jest.advanceTimersByTime(45_000);
    timer.stop();
    timer.retry(10_000);
    jest.advanceTimersByTime(200_000);
    expect(happened).toEqual(['refresh']);
  });
});

describe('a session of more than a day [sip.5]', () => {
  const message = (headers: Record<string, string>): IncomingMessage =>
    ({ getHeader: (name: string) => headers[name] }) as unknown as IncomingMessage;

  it('is one of a day: its timer does not run at once', () => {
    const day = { seconds: 86_400, isOurs: true };
    expect(sessionTerms(message({ 'session-expires': '9999999;refresher=uas' }), 'uas')).toEqual(day);
    const response = Object.assign(message({ 'min-se': '9999999' }), { statusCode: 422 });
    expect(longerTerms(response as IncomingResponseMessage, { seconds: 90, isOurs: true })).toEqual(day);
  });
});
