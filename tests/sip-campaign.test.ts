import { afterAll, describe, expect, it } from '@jest/globals';
import { createLifecycle } from '@parley/kit/lifecycle';
import { createLogger } from '@parley/kit/log';
import { checkFlite, checkPocketsphinx } from '@parley/speech';
import { hasSipp } from '@parley/testkit/sip';
import { runCampaign } from './chaos/sip-campaign/run-campaign.ts';

// `npm run chaos -- sip-campaign` does the same with a hundred contacts.
const CONTACTS = 10;
const isInstalled =
  hasSipp() &&
  (await Promise.all([checkFlite(), checkPocketsphinx()]).then(
    () => true,
    () => false,
  ));
const log = createLogger({ service: 'test', level: 'silent' });
const lifecycle = createLifecycle(log, { deadlineMs: 20_000 });
afterAll(() => lifecycle.stop('test'));

(isInstalled ? describe : describe.skip)('a campaign over a SIP trunk (sipp)', () => {
  it('has the right counters for each outcome of the trunk, retries what is busy or unanswered, and dials no number twice at once [sip.7] [campaigns.12]', async () => {
    const found = await runCampaign({ contacts: CONTACTS, maxCps: 5, timeoutMs: 120_000 }, lifecycle);
    expect({ ...found, called: found.called.size }).toMatchObject({
      ...found.expected,
      called: CONTACTS,
      wrongCounts: [],
      overlapping: [],
      status: 'completed',
      wrongReasons: [],
      sipp: 'ok',
    });
  });
});
