import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SqlClient, Statement } from '@parley/kit/db';
import { eventually } from '@parley/testkit';
import { chooseCarriers } from '../src/carriers/registry.ts';
import { createDialStore } from '../src/dialer/dials.store.ts';
import { anyNumber, type Harness, type Json, startHarness } from './harness.ts';
import { type ConnectedNumber, callFrom, connectNumber, FAST, finished, requestDial } from './place-call.ts';

const FAILURES = 5;
/** Longer than any test; tests that need an earlier trial set a shorter pause. */
const PAUSE_S = 36_000;

describe('the circuit of a number', () => {
  let harness: Harness;
  let second: { stop(): Promise<void> };

  beforeAll(async () => {
    harness = await startHarness({
      ...FAST,
      CIRCUIT_FAILURES: String(FAILURES),
      CIRCUIT_PAUSE_SECONDS: String(PAUSE_S),
      CIRCUIT_LONGEST_PAUSE_SECONDS: String(2 * PAUSE_S),
    });
    // The circuit must hold across workers.
    second = await harness.boot({ PROCESSES: 'worker' });
  });
  afterAll(async () => {
    await second.stop();
    await harness.close();
  });

  /** Requests dials of a campaign to numbers with these endings, in this order; returns their ids. */
  const request = async (number: ConnectedNumber, endings: string[]): Promise<string[]> => {
    const campaign_id = randomUUID();
    const ids: string[] = [];
    for (const ending of endings) {
      const { call_id } = await requestDial(harness, number, { campaign_id, to_number: anyNumber(ending) });
      ids.push(call_id);
      // Waits until it is queued before the next request, because their order is tested.
      await patiently(async () => expect(await stateOf(call_id)).toBeDefined());
    }
    return ids;
  };
  const patiently = <T>(expectation: () => Promise<T>): Promise<T> =>
    eventually(expectation, { timeoutMs: 25_000 });
  const stateOf = async (id: string): Promise<string | undefined> => {
    const [row] = await harness.sql.$queryRaw<
      { state: string }[]
    >`SELECT state FROM dial_requests WHERE call_id = ANY (${[id]}::uuid[])`;
    return row?.state;
  };
  const circuitOf = async ({ id, workspaceId }: ConnectedNumber) => {
    const answer = await harness.callAsService(
      workspaceId,
      'GET',
      `/internal/phone-numbers/${id}/dial-conditions`,
    );
    return answer.body.data?.circuit;
  };
  const untilOpen = (number: ConnectedNumber, openings: number) =>
    patiently(async () => {
      const circuit = await circuitOf(number);
      expect(circuit).toMatchObject({ state: 'open', openings });
      return circuit;
    });
  /** Ends the pause. */
  const tryNow = ({ id }: ConnectedNumber) =>
    harness.sql
      .$executeRaw`UPDATE number_circuits SET probe_at = opened_at WHERE phone_number_id = ${id}::uuid`;
  const pauseOf = (circuit: Json): number =>
    (Date.parse(circuit.next_probe_at) - Date.parse(circuit.last_failed_at)) / 1000;

  it('opens after many consecutive failures: attempts wait without being used up, one is tried after a growing pause, and any reached callee closes it', async () => {
    const number = await connectNumber(harness);
    const other = await connectNumber(harness, { workspaceId: number.workspaceId });
    await request(number, Array(FAILURES).fill('0004'));
    const first = await untilOpen(number, 1);
    expect(first.failures_in_a_row).toBe(FAILURES);
    expect(pauseOf(first)).toBe(PAUSE_S);

    const waiting = await request(number, ['0004', '4242', '4243']);
    // Meanwhile another number dials, because each has its own circuit. That also shows that the dialers have run.
    const [goes = ''] = await request(other, ['0002']);
    await patiently(async () => expect(await stateOf(goes)).toBe('dialled'));
    expect(await Promise.all(waiting.map(stateOf))).toEqual(['waiting', 'waiting', 'waiting']);

    await tryNow(number);
    const again = await untilOpen(number, 2);
    expect(pauseOf(again)).toBe(2 * PAUSE_S);
    expect(await Promise.all(waiting.map(stateOf))).toEqual(['dialled', 'waiting', 'waiting']);

    await tryNow(number);
    await patiently(async () =>
      expect(await Promise.all(waiting.map(stateOf))).toEqual(Array(3).fill('dialled')),
    );
    expect(await circuitOf(number)).toEqual({
      ...{ state: 'closed', failures_in_a_row: 0, last_failed_at: null, opened_at: null },
      ...{ openings: 0, next_probe_at: null },
    });
  }, 120_000);

  it('is not opened by callees who are busy or absent, permanent refusals, or failures in between', async () => {
    const number = await connectNumber(harness);
    for (const endings of [
      ['0002', '0001', '0005'],
      Array(FAILURES - 1).fill('0004'),
      ['0002'],
      ['0004', '0005'],
    ]) {
      for (const id of await request(number, endings)) await finished(harness, number.workspaceId, id);
    }
    expect(await circuitOf(number)).toMatchObject({ state: 'closed', failures_in_a_row: 1, opened_at: null });
  }, 120_000);

  it('is seen by the next dialer after another has sent the probe', async () => {
    const { id } = await connectNumber(harness);
    const [opened, later] = [new Date(), new Date(Date.now() + 1_000_000)];
    await harness.sql
      .$executeRaw`INSERT INTO number_circuits (phone_number_id, failures, opened_at, openings, probe_at) VALUES (${id}::uuid, 5, ${opened}, 1, ${opened})`;
    /** The other transaction ends between the statement's snapshot and its lock. */
    const tx: SqlClient = {
      ...harness.sql,
      $queryRaw: async <T>(statement: Statement): Promise<T> => {
        const rows = await harness.sql.$queryRaw<T>(statement);
        if (!statement.sql.includes('FOR UPDATE')) return rows;
        await harness.sql
          .$executeRaw`UPDATE number_circuits SET probe_at = ${later} WHERE phone_number_id = ${id}::uuid`;
        return rows;
      },
    };
    const [pace] = await createDialStore(harness.sql, chooseCarriers(['simulator'])).lockClocks(tx, [id]);
    expect(pace?.probeAt).toEqual(later);
  });

  it('does not block single calls, and one that is answered closes it', async () => {
    const number = await connectNumber(harness);
    await request(number, Array(FAILURES).fill('0004'));
    await untilOpen(number, 1);
    const call = await finished(
      harness,
      number.workspaceId,
      await callFrom(harness, number, anyNumber('0002')),
    );
    expect(call).toMatchObject({ disconnection_reason: 'dial_busy' });
    expect(await circuitOf(number)).toMatchObject({ state: 'closed' });
  }, 120_000);

  it('shows the state of a dial to its own workspace only [campaigns.18]', async () => {
    const number = await connectNumber(harness);
    const foreign = { ...number, workspaceId: randomUUID() };
    expect(await circuitOf(foreign)).toBeUndefined();
  });
});
