import { describe, expect, it } from '@jest/globals';
import { dialingCall, START, sessionDeps, silentCarrier } from '../../tests/session-parts.ts';
import type { TransferRequest } from '../carriers/call-control.ts';
import type { EventQueue } from './event-queue.ts';
import { createTransfers } from './transfers.ts';
import type { CallEvent } from './transition.ts';

const destination = { destination: '+12125550199', type: 'cold' } as const;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Transfers of a carrier that accepts them and reports nothing; the test decides when timeouts fire. */
function transfers() {
  const posted: CallEvent[] = [];
  const ids: string[] = [];
  const timeouts = new Set<() => void>();
  const clock = { rate: 1, now: () => START } as EventQueue['clock'];
  const carrier = {
    ...silentCarrier,
    capabilities: { ...silentCarrier.capabilities, transfer: true },
    transfer: async ({ transferId }: TransferRequest) => void ids.push(transferId),
  };
  const queue = {
    call: () => dialingCall,
    clock,
    life: {
      after: (_ms: number, act: () => void) => {
        timeouts.add(act);
        return () => timeouts.delete(act);
      },
    },
    post: async (event: CallEvent) => void posted.push(event),
  } as unknown as EventQueue;
  const made = createTransfers(sessionDeps(carrier, clock), queue);
  return { ...made, ids, posted, timeouts, runOut: () => [...timeouts].forEach((act) => void act()) };
}

describe('a transfer', () => {
  it('without a result fails, and does not block the next one', async () => {
    const { request, complete, ids, posted, timeouts, runOut } = transfers();
    const first = request(destination);
    await settled();
    expect(await request(destination)).toEqual({ ok: false, error: 'Another transfer is pending' });
    runOut();
    expect(await first).toMatchObject({ ok: false });
    expect(posted).toMatchObject([
      { type: 'timeline_entry', entry: { type: 'transfer', detail: { ok: false } } },
    ]);
    timeouts.clear();
    const second = request(destination);
    await settled();
    complete(true, ids[1]);
    expect(await second).toEqual({ ok: true, error: null });
    expect(timeouts.size).toBe(0);
  });

  it.each([true, false])('is not completed by the late result of an earlier one: %p', async (ok) => {
    const { request, complete, isDone, ids, posted, runOut, timeouts } = transfers();
    const first = request(destination);
    await settled();
    runOut();
    await first;
    timeouts.clear();
    const second = request(destination);
    await settled();
    complete(ok, ids[0]);
    await settled();
    expect([isDone(), posted.length, timeouts.size]).toEqual([false, 1, 1]);
    complete(!ok, ids[1]);
    expect(await second).toMatchObject({ ok: !ok });
  });

  it('is not completed by a result after its timeout', async () => {
    const { request, complete, isDone, ids, posted, runOut } = transfers();
    const late = request(destination);
    await settled();
    runOut();
    complete(true, ids[0]);
    expect(await late).toMatchObject({ ok: false });
    expect([isDone(), posted.length]).toEqual([false, 1]);
  });
});
