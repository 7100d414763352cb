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
