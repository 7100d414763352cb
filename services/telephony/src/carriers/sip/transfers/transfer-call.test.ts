import { describe, expect, it } from '@jest/globals';
import {
  answered,
  CALL,
  headerOf,
  type MemoryProcess,
  memoryProcess,
  settle,
} from '../../../../tests/sip/memory-process.ts';

/** A warm transfer whose target rings; its INVITE. */
async function begin(process: MemoryProcess, transferId: string): Promise<string> {
  await process.transfer({
    ...{ reference: CALL, transferId, destination: '+12025550188', type: 'warm' },
    consult: async () => true,
  });
  await settle();
  const invite = process.last('INVITE');
  await process.respond(invite, 180);
  return invite;
}

describe('the target of a transfer that is hung up [sip.16]', () => {
  it('stays stored until its BYE has a response, even while another transfer has a target', async () => {
    const process = memoryProcess();
    await answered(process);
    const invite = await begin(process, 'one');
    expect(headerOf(invite, 'Call-ID')).toBe(`${CALL}-one`);
    expect(process.states.get(CALL)?.bridged).toMatchObject({ phase: 'inviting' });
    // It answers while the transfer is given up for another one.
    await begin(process, 'two');
    await process.respond(invite, 200, { sdp: true });
    expect(headerOf(process.last('BYE'), 'Call-ID')).toBe(`${CALL}-one`);
    expect(process.states.get(CALL)).toMatchObject({
      bridged: { phase: 'inviting', cancel: expect.stringContaining(`${CALL}-two`) },
      left: [{ phase: 'established', dialog: { callId: `${CALL}-one` } }],
    });
    await process.respond(process.last('BYE'), 200);
    expect(process.states.get(CALL)).toMatchObject({ bridged: { phase: 'inviting' }, left: [] });
  });

  it('delays the end of the call, even after another transfer has begun', async () => {
    const process = memoryProcess();
    const { invite: partyInvite } = await answered(process);
    const [one, two] = [await begin(process, 'one'), await begin(process, 'two')];
    await process.request('BYE', 1, partyInvite);
    for (const invite of [two, one]) {
      expect(process.events.map(({ type }) => type)).not.toContain('ended');
      await process.respond(invite, 487);
    }
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'remote' }));
  });

  it('stays stored after the party has hung up, and the call ends with it', async () => {
    const process = memoryProcess();
    const { invite: partyInvite } = await answered(process);
    const invite = await begin(process, 'one');
    await process.request('BYE', 1, partyInvite);
    await process.respond(invite, 200, { sdp: true });
    expect(process.states.get(CALL)?.bridged).toMatchObject({ phase: 'established' });
    expect(process.events.map(({ type }) => type)).not.toContain('ended');
    await process.respond(process.last('BYE'), 200);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'remote' }));
  });
});

describe('the target of a transfer that was hung up [sip.16]', () => {
  it('is not brought back by a save that was still waiting', async () => {
    const process = memoryProcess();
    await answered(process);
    let decline = (): void => {};
    await process.transfer({
      ...{ reference: CALL, transferId: 'one', destination: '+12025550188', type: 'warm' },
      consult: () =>
        new Promise((resolve) => {
          decline = () => resolve(false);
        }),
    });
    await settle();
    const invite = process.last('INVITE');
    await process.respond(invite, 180);
    let go = (): void => {};
    const stored = new Promise<void>((resolve) => {
      go = resolve;
    });
    process.storage.beforeSave = () => stored;
    await process.respond(invite, 200, { sdp: true });
    // Its state is to be stored once more.
    await process.request('UPDATE', 1, invite);
    decline();
    await settle();
    await process.respond(process.last('BYE'), 200);
    go();
    await settle();
    expect(process.states.get(CALL)).toMatchObject({ bridged: null, left: [] });
  });
});
