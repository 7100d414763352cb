import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { keepRegistered } from '../src/carriers/sip/inbound/edge-registration.ts';
import type { Edge } from '../src/carriers/sip/signalling/find-edges.ts';
import type { Signalling } from '../src/carriers/sip/signalling/signalling.ts';
import { pass } from './sip/memory-process.ts';

const EDGE: Edge = { url: 'ws://192.0.2.1:5066', name: 'edge' };
const STEP_MS = 500;

const passSeconds = async (seconds: number): Promise<void> => {
  for (let left = seconds * 1_000; left > 0; left -= STEP_MS) await pass(STEP_MS);
};

describe('what a worker logs of a SIP edge [sip.40]', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const setUp = (toEdge: () => Promise<never>, ...found: Edge[]) => {
    const logged: string[] = [];
    const destination = {
      write: (line: string) => {
        const { level, msg } = JSON.parse(line);
        logged.push(`${level}: ${msg}`);
      },
    };
    keepRegistered({
      signalling: { findEdges: async () => [...found], connections: { toEdge } } as unknown as Signalling,
      workerId: 'worker',
      freeCalls: () => 1,
      onEdges: () => {},
      log: createLogger({ service: 'telephony', level: 'warn', destination }),
      lifecycle: { onStop: () => {} } as never,
    });
    return { found, logged };
  };

  it('that comes seconds after the worker is a warning; one that stays away becomes an error, once', async () => {
    const { found, logged } = setUp(() => new Promise(() => {}));
    const NOT_FOUND = 'no SIP edge can be found: the name does not resolve';
    await passSeconds(20);
    expect(logged).toEqual([`warn: ${NOT_FOUND}`]);
    found.push(EDGE);
    await passSeconds(60);
    expect(logged).toHaveLength(1);
    found.pop();
    await passSeconds(25);
    expect(logged.slice(1)).toEqual([`warn: ${NOT_FOUND}`]);
    await passSeconds(60);
    expect(logged.slice(2)).toEqual([`error: ${NOT_FOUND}`]);
  });

  it('that cannot be reached likewise', async () => {
    const { logged } = setUp(() => Promise.reject(new Error('refused')), EDGE);
    const UNREACHABLE = 'the SIP edge cannot be reached: no calls come in by it';
    await passSeconds(20);
    expect(logged).toEqual([`warn: ${UNREACHABLE}`]);
    await passSeconds(60);
    expect(logged.slice(1)).toEqual([`error: ${UNREACHABLE}`]);
  });
});
