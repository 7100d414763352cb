import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Receiver, receiver } from '@parley/testkit';
import type { Answer, Platform } from '@parley/testkit/stage';
import type { Enter } from './platform/describe-platform.ts';
import { setUpAssistant } from './platform/fixtures.ts';

const ROUNDS = 6;
const AT_ONCE = 8;

let platform: Platform;
let server: Receiver;

const createOn = (agentId: string, phoneNumber: string): Promise<Answer> =>
  platform.api.request('POST', '/v1/campaigns', {
    campaign_name: 'Race',
    agent_id: agentId,
    phone_number: phoneNumber,
    contacts: [{ phone_number: '+15550100001' }],
  });

export const deletionRaceSuite = (enter: Enter) =>
  describe('the deletion of an assistant and the concurrent creation of campaigns with it', () => {
    beforeAll(async () => {
      server = await receiver();
      platform = await enter();
    });
    afterAll(() => server.close());

    it('[assistants.2] [campaigns.8] never both succeed, whichever comes first', async () => {
      const won = { deletion: 0, campaigns: 0 };
      for (let round = 0; round < ROUNDS; round += 1) {
        const { assistant, number } = await setUpAssistant(platform, server);
        const deletion = () => platform.api.request('DELETE', `/v1/assistant/${assistant.id}`);
        // In the first round the deletion wins, in the last one a creation; in between they run concurrently.
        const early = round === 0 ? await deletion() : undefined;
        const creations = Array.from({ length: AT_ONCE }, () => createOn(assistant.id, number.phone_number));
        await (round === ROUNDS - 1 ? Promise.race(creations) : sleep(round * 5));
        const { status } = early ?? (await deletion());
        const created = (await Promise.all(creations)).map((answer) => answer.status);
        expect([204, 409]).toContain(status);
        expect(created.filter((code) => code !== 201 && code !== 404)).toEqual([]);
        const rows = await platform.query(
          'campaigns',
          'SELECT 1 FROM campaigns WHERE agent_id = $1',
          assistant.id,
        );
        expect(rows).toHaveLength(created.filter((code) => code === 201).length);
        expect([status, rows.length > 0]).toEqual([status, status === 409]);
        won[status === 204 ? 'deletion' : 'campaigns'] += 1;
      }
      expect(won.deletion).toBeGreaterThan(0);
      expect(won.campaigns).toBeGreaterThan(0);
    }, 60_000);
  });
