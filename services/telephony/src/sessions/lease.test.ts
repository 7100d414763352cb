import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import { beginLease, createLease, LEASE_MS } from './lease.ts';

function setUp() {
  let nowMs = 0;
  let hangsMs = 0;
  const heartbeat = {
    beat: async () => {
      nowMs += hangsMs;
    },
    resign: async () => {},
  };
  const log = createLogger({ service: 'test', level: 'silent' });
  const lease = createLease({ heartbeat, log, nowMs: () => nowMs });
  return {
    lease,
    pass: (ms: number) => {
      nowMs += ms;
    },
    hang: (ms: number) => {
      hangsMs = ms;
    },
  };
}

describe('lease', () => {
  it('is live from its first heartbeat until none arrives for the duration of a lease', async () => {
    const { lease, pass } = setUp();
    expect(lease.isLive()).toBe(false);
    expect(await lease.beat()).toBe(true);
    pass(LEASE_MS - 1);
    expect(lease.isLive()).toBe(true);
    pass(1);
    expect(lease.isLive()).toBe(false);
    expect(await lease.beat()).toBe(false);
    expect(lease.isLive()).toBe(true);
  });

  it('counts from the start of a heartbeat, however long its response takes', async () => {
    const { lease, hang } = setUp();
    hang(LEASE_MS);
    await lease.beat();
    expect(lease.isLive()).toBe(false);
  });

  it('tells whether it was live all the time, and not only again', async () => {
    const { lease, pass } = setUp();
    await lease.beat();
    const isHeld = lease.watch();
    pass(LEASE_MS - 1);
    await lease.beat();
    expect(isHeld()).toBe(true);
    pass(LEASE_MS);
    expect(isHeld()).toBe(false);
    await lease.beat();
    expect([lease.isLive(), isHeld(), lease.watch()()]).toEqual([true, false, true]);
  });

  it('ends at once when the worker resigns', async () => {
    const { lease } = setUp();
    await lease.beat();
    await lease.resign({ failed: false });
    expect(lease.isLive()).toBe(false);
  });
});

describe('beginLease', () => {
  const quiet = createLogger({ service: 'test', level: 'silent' });

  it('retries a database that is slow to connect', async () => {
    let beats = 0;
    const beat = async () => {
      beats += 1;
      if (beats === 1) throw new Error('timeout');
      return true;
    };
    await beginLease({ beat }, { log: quiet, signal: new AbortController().signal });
    expect(beats).toBe(2);
  });

  it('waits only as long as the process lives', async () => {
    const stopping = new AbortController();
    const beat = async () => {
      stopping.abort(new Error('stopping'));
      throw new Error('timeout');
    };
    await expect(beginLease({ beat }, { log: quiet, signal: stopping.signal })).rejects.toThrow('stopping');
  });
});
