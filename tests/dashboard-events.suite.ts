import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EventStream, eventually, openEvents, type Receiver, receiver } from '@parley/testkit';
import type { Platform } from '@parley/testkit/stage';
import type { Enter } from './platform/describe-platform.ts';
import { setUpAssistant } from './platform/fixtures.ts';
import { signInAs } from './platform/session.ts';

// The events that a page receives while the platform works [dashboard.6].

let platform: Platform;
let server: Receiver;
let stream: EventStream;

/** What happened to a resource, in order, as far as it was not merged. */
const changesOf = (id: string): string[] =>
  stream
    .changes()
    .filter((change) => change.id === id)
    .map(({ what }) => what);

export const dashboardEventsSuite = (enter: Enter) =>
  describe('a page receives an event for', () => {
    beforeAll(async () => {
      server = await receiver();
      platform = await enter();
      const { cookie } = await signInAs(platform, 'viewer', 'viewer@example.org');
      stream = await openEvents(platform.url, { cookie });
    });
    afterAll(async () => {
      stream?.close();
      await server?.close();
    });

    it('a campaign, its calls, their deliveries and the assistant, until everything is done [dashboard.6]', async () => {
      const { assistant, number } = await setUpAssistant(platform, server);
      const { body } = await platform.api.request('POST', '/v1/campaigns', {
        campaign_name: 'Watched',
        agent_id: assistant.id,
        phone_number: number.phone_number,
        contacts: [{ phone_number: '+12025550123' }],
      });
      const id: string = body.data.campaign_id;
      await platform.api.data('POST', `/v1/campaigns/${id}/resume`);
      await eventually(
        () => {
          expect(changesOf(assistant.id)).not.toEqual([]);
          expect(changesOf(id)).toEqual(expect.arrayContaining(['completed']));
          const calls = stream.changes().filter((change) => change.campaign_id === id);
          expect(calls.map(({ what }) => what)).toEqual(expect.arrayContaining(['analyzed']));
          const [call] = calls;
          const deliveries = stream.changes().filter(({ type }) => type === 'delivery');
          expect(deliveries.map(({ what, call_id }) => [what, call_id])).toContainEqual([
            'delivered',
            call?.id,
          ]);
        },
        { timeoutMs: 20_000 },
      );
    });

    it('a call from its creation to its end', async () => {
      const call = await platform.api.data('POST', '/v2/call/web', { agent_id: await anAssistant() });
      await eventually(() => expect(changesOf(call.id)[0]).toBe('created'));
      await platform.api.request('POST', `/v2/call/${call.id}/stop`);
      // Its end and its analysis may have been merged.
      await eventually(() => expect(changesOf(call.id).at(-1)).toBe('analyzed'), { timeoutMs: 20_000 });
    });
  });

async function anAssistant(): Promise<string> {
  return (await platform.api.data('POST', '/v1/assistant', { agent_name: 'Ada' })).id;
}
