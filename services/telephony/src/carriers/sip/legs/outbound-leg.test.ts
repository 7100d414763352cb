import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { CALL, memoryProcess, pass, resultOf, settle } from '../../../../tests/sip/memory-process.ts';

afterEach(() => void jest.useRealTimers());

describe('a leg that is cancelled [sip.3] [sip.16]', () => {
  it('is gone when the far end refuses the INVITE with 487', async () => {
    const process = memoryProcess();
    const { leg, invite } = await process.dial(CALL, true);
    await process.respond(invite, 180);
    leg.hangup();
    const gone = resultOf(leg.body.gone());
    await settle();
    await process.respond(process.last('CANCEL'), 200);
    expect(gone).toEqual({});
    await process.respond(invite, 487);
    expect(gone).toEqual({ value: true });
  });

  it('is not gone when the CANCEL times out: the far end may still ring or answer', async () => {
    jest.useFakeTimers();
    const process = memoryProcess();
    const { leg, invite } = await process.dial(CALL, true);
    leg.hangup();
    const gone = resultOf(leg.body.gone());
    await pass(4_500);
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'local' }));
    expect(gone).toEqual({});
    await process.respond(invite, 200, { sdp: true });
    expect(process.states.get(CALL)?.leg).toMatchObject({
      phase: 'established',
      dialog: { remoteTag: 'far' },
    });
    expect(gone).toEqual({});
    await process.respond(process.last('BYE'), 200);
    expect(gone).toEqual({ value: true });
  });

  it('counts as not reached if the far end never responds', async () => {
    jest.useFakeTimers();
    const process = memoryProcess();
    const { leg, invite } = await process.dial(CALL, true);
    await process.respond(invite, 180);
    leg.hangup();
    const gone = resultOf(leg.body.gone());
    await pass(30_000);
    expect(gone).toEqual({});
    await pass(10_000);
    expect(gone).toEqual({ value: false });
  });

  it('and answered at the same time is gone when the BYE has a response, and stored as answered until then', async () => {
    const process = memoryProcess();
    const { leg, invite } = await process.dial(CALL, true);
    await process.respond(invite, 180);
    leg.hangup();
    const gone = resultOf(leg.body.gone());
    await process.respond(invite, 200, { sdp: true });
    expect(process.sentOf('BYE ')).toHaveLength(1);
    expect(gone).toEqual({});
    expect(process.states.get(CALL)?.leg.phase).toBe('established');
    expect(process.events.map(({ type }) => type)).not.toContain('answered');
    // Any final response will do.
    await process.respond(process.last('BYE'), 302);
    expect(gone).toEqual({ value: true });
  });

  it('while another server is being connected ends as a hang-up, not as a failure of the trunk', async () => {
    const process = memoryProcess();
    process.routes.servers = [...process.routes.servers, ...process.routes.servers];
    const { leg, invite } = await process.dial(CALL);
    let refuse = (): void => {};
    process.network.connect = () =>
      new Promise((_, reject) => {
        refuse = () => reject(new Error('refused'));
      });
    await process.respond(invite, 503);
    leg.hangup();
    refuse();
    await settle();
    expect(process.events).toContainEqual(expect.objectContaining({ type: 'ended', cause: 'local' }));
  });
});
