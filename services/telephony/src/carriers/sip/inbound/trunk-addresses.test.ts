import { describe, expect, it } from '@jest/globals';
import { createLookUpSrv, type SrvRecord } from '../signalling/locate-servers.ts';
import type { Trunk } from '../trunk.ts';
import { createTrunkAddresses } from './trunk-addresses.ts';

const TRUNK: Trunk = { host: 'sip.example.com', port: null, transport: 'udp', credentials: null };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const failure = (code: string): Error => Object.assign(new Error(code), { code });

/** Name servers with `servers` SRV records, each for one address; `fails` is the error of both kinds of look-up. */
function createNames(servers: number) {
  const records = Array.from({ length: servers }, (_, n): SrvRecord => {
    return { name: `${n}.example.com`, port: 5_060, priority: 10, weight: 10 };
  });
  const state = {
    nowMs: 0,
    srvFails: undefined as string | undefined,
    hostFails: undefined as string | undefined,
    lookUps: 0,
  };
  const nowMs = (): number => state.nowMs;
  const addressesOf = createTrunkAddresses({
    guard: async (host) => {
      state.lookUps++;
      if (state.hostFails === host || state.hostFails === 'all') throw failure('ECONNREFUSED');
      return { addresses: [host === TRUNK.host ? '192.0.2.1' : `203.0.113.${host.split('.', 1)[0]}`] };
    },
    lookUpSrv: createLookUpSrv({
      resolveSrv: async () => {
        if (state.srvFails) throw failure(state.srvFails);
        return records;
      },
      nowMs,
    }),
    nowMs,
  });
  return { state, find: () => addressesOf(TRUNK) };
}

describe('the addresses that a trunk calls from [sip.12] [sip.20]', () => {
  it('are those of all its servers, also of those that are not dialed', async () => {
    expect(new Set(await createNames(40).find()).size).toBe(40);
  });

  it('survive failing name servers for hours', async () => {
    const { state, find } = createNames(2);
    const known = ['203.0.113.0', '203.0.113.1'];
    expect((await find()).toSorted()).toEqual(known);
    state.nowMs += MINUTE_MS;
    state.hostFails = '1.example.com';
    expect((await find()).toSorted()).toEqual(known);
    state.nowMs += HOUR_MS;
    Object.assign(state, { srvFails: 'ECONNREFUSED', hostFails: 'all' });
    expect((await find()).toSorted()).toEqual(known);
    state.nowMs += 6 * HOUR_MS;
    expect(await find()).toEqual([]);
  });

  it('are those of the host while its SRV records are not known, and if it has none', async () => {
    const { state, find } = createNames(1);
    state.srvFails = 'ECONNREFUSED';
    expect(await find()).toEqual(['192.0.2.1']);
    Object.assign(state, { srvFails: undefined, nowMs: MINUTE_MS });
    expect(await find()).toEqual(['203.0.113.0']);
    for (const code of ['ENODATA', 'ENOTFOUND']) {
      Object.assign(state, { srvFails: code, nowMs: state.nowMs + MINUTE_MS });
      expect(await find()).toEqual(['192.0.2.1']);
    }
  });

  it('are looked up once in half a minute, also if that fails', async () => {
    const { state, find } = createNames(1);
    state.hostFails = 'all';
    expect([await find(), await find()]).toEqual([[], []]);
    expect(state.lookUps).toBe(1);
    Object.assign(state, { hostFails: undefined, nowMs: MINUTE_MS });
    expect(await find()).toEqual(['203.0.113.0']);
  });
});
