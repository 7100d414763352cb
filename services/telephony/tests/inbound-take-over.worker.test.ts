import { describe, expect } from '@jest/globals';
import { eventually } from '@parley/testkit';
import { besideOthers } from './beside-others.ts';
import { callIn, type InboundNumber, inboundNumber, ringUp, timelineOf, untilStatus } from './call-in.ts';
import type { Harness } from './harness.ts';
import { FAST, finished, publishedEventsOf, readCall } from './place-call.ts';
import { workerProcess } from './worker-process.ts';

const itAlone = besideOthers({ ...FAST, CLOCK_RATE: '10', PROCESSES: 'api' });
/** A clock rate at which a worker can start before the caller gives up after a minute. */
const itSlowly = besideOthers({ ...FAST, CLOCK_RATE: '2', PROCESSES: 'api' });

/** The lease of a dead worker expires after two real seconds. */
describe('inbound calls while workers start and stop', () => {
  const turnsOf = (harness: Harness, id: string) =>
    harness.sql.$queryRaw<unknown[]>`SELECT 1 FROM turns WHERE call_id = ${id}::uuid`;
  /** Two processes relay messages, so the order of arrival can differ. */
  const onceEach = (harness: Harness, id: string) =>
    eventually(() =>
      expect(publishedEventsOf(harness, id)).toEqual(['call.started', 'call.ended', 'call.analyzed']),
    );

  itAlone(
    'a call that talks goes on in another worker when its own is killed, to the end of the script',
    async (harness) => {
      const number = await inboundNumber(harness);
      const first = await workerProcess(harness);
      const script = ['One.', 'Two.', 'Three.', 'Four.', 'Five.', 'Six.'];
      const id = await callIn(harness, number, { script });
      await eventually(async () => expect((await turnsOf(harness, id)).length).toBeGreaterThanOrEqual(3));
      await first.kill('SIGKILL');
      const second = await harness.boot({ PROCESSES: 'worker' });
      const call = await finished(harness, number.workspaceId, id);
      expect(call.disconnection_reason).toBe('user_hangup');
      const said = call.transcript_json.conversation.filter(({ role }: { role: string }) => role === 'user');
      expect(said.map(({ content }: { content: string }) => content)).toEqual(script);
      await onceEach(harness, id);
      await second.stop();
    },
  );

  itAlone('a call whose worker is killed while it rings is answered by another', async (harness) => {
    const number = await inboundNumber(harness);
    const first = await workerProcess(harness);
    // Without the assistants service no assistant is selected, so the call keeps ringing.
    harness.peers.assistants.cut();
    const id = await callIn(harness, number, { script: ['Hello.', 'Bye.'] });
    await untilStatus(harness, number.workspaceId, id, 'ringing');
    await first.kill('SIGKILL');
    const second = await harness.boot({ PROCESSES: 'worker' });
    harness.peers.assistants.restore();
    const call = await finished(harness, number.workspaceId, id);
    expect(call).toMatchObject({ disconnection_reason: 'user_hangup', agent_id: number.agent.agent_id });
    await onceEach(harness, id);
    await second.stop();
  });

  itAlone('a call that comes in while no worker lives rings until one does', async (harness) => {
    const number = await inboundNumber(harness);
    const { status, body } = await ringUp(harness, number, { script: ['Hello.'] });
    expect(status).toBe(202);
    const id = body.data.call_id;
    expect(await readCall(harness, number.workspaceId, id)).toBeUndefined();
    const worker = await harness.boot({ PROCESSES: 'worker' });
    const call = await finished(harness, number.workspaceId, id);
    expect(call.disconnection_reason).toBe('user_hangup');
    await worker.stop();
  });

  /** A call that arrived while no worker was running. */
  const promised = async (harness: Harness, number: InboundNumber): Promise<string> =>
    (await ringUp(harness, number)).body.data.call_id;
  const unanswered = { answered_at: null, duration: 0, cost: 0, status: 'completed', call_type: 'inbound' };

  itAlone(
    'a caller whose patience ends before a worker takes the call leaves a call that ended as user_hangup, with all its events',
    async (harness) => {
      const number = await inboundNumber(harness, {
        number: { inbound_webhook_url: 'https://example.com/inbound' },
      });
      const id = await promised(harness, number);
      const [leg] = await harness.sql.$queryRaw<
        { at: Date }[]
      >`UPDATE simulated_legs SET gives_up_at = originated_at + interval '1 second' WHERE reference = ${id}::uuid
       RETURNING gives_up_at AS at`;
      await eventually(() => expect(harness.context.clock.now() > (leg?.at ?? 0)).toBe(true));
      const worker = await harness.boot({ PROCESSES: 'worker' });
      const call = await finished(harness, number.workspaceId, id);
      expect(call).toMatchObject({ ...unanswered, disconnection_reason: 'user_hangup' });
      expect(Date.parse(call.ended_at)).toBe(leg?.at.getTime());
      await eventually(() => expect(publishedEventsOf(harness, id)).toEqual(['call.ended', 'call.analyzed']));
      const types = (await timelineOf(harness, number.workspaceId, id)).map(({ type }) => type);
      expect(types).toEqual(['queued', 'ringing', 'ended', 'analyzed']);
      await worker.stop();
    },
  );

  itSlowly(
    'a call whose number is deleted before a worker takes it ends as call_rejected, with all its events',
    async (harness) => {
      const number = await inboundNumber(harness);
      const id = await promised(harness, number);
      const deleted = await harness.ask(number.workspaceId, 'DELETE', `/v1/phone-number/${number.id}`);
      expect(deleted.status).toBe(204);
      const worker = await harness.boot({ PROCESSES: 'worker' });
      const call = await finished(harness, number.workspaceId, id);
      expect(call).toMatchObject({
        ...unanswered,
        disconnection_reason: 'call_rejected',
        to_number: number.phoneNumber,
        phone_number_id: null,
      });
      await eventually(() => expect(publishedEventsOf(harness, id)).toEqual(['call.ended', 'call.analyzed']));
      await worker.stop();
    },
  );

  itAlone(
    'many calls that come in at once are taken once each, whichever of two workers hears of them',
    async (harness) => {
      const workers = [
        await harness.boot({ PROCESSES: 'worker' }),
        await harness.boot({ PROCESSES: 'worker' }),
      ];
      const number = await inboundNumber(harness);
      const ids = await Promise.all(
        Array.from({ length: 15 }, () => callIn(harness, number, { script: ['Hi.'] })),
      );
      for (const id of ids) {
        const call = await finished(harness, number.workspaceId, id);
        expect(call.disconnection_reason).toBe('user_hangup');
        await onceEach(harness, id);
      }
      await eventually(async () =>
        expect(
          await harness.sql.$queryRaw<
            unknown[]
          >`SELECT 1 FROM simulated_legs WHERE direction = 'inbound' AND NOT taken`,
        ).toEqual([]),
      );
      for (const worker of workers) await worker.stop();
    },
  );
});
