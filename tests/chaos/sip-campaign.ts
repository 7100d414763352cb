import type { Lifecycle } from '@parley/kit/lifecycle';
import { runBench } from '@parley/testkit/load';
import { hasSipp } from '@parley/testkit/sip';
import { runCampaign } from './sip-campaign/run-campaign.ts';

// A campaign of CONTACTS (100) over a SIP trunk with mixed outcomes: its counters, the reasons of its calls, and how often sipp saw each number.
// Wants sipp, flite and pocketsphinx, Postgres (DATABASE_URL) and RabbitMQ (AMQP_URL).

const CONTACTS = Number(process.env.CONTACTS ?? 100);
const TIMEOUT_MS = 600_000;

async function bench(lifecycle: Lifecycle): Promise<boolean> {
  if (!hasSipp()) throw new Error('sipp is not installed: apt-get install sip-tester');
  const found = await runCampaign({ contacts: CONTACTS, maxCps: 4, timeoutMs: TIMEOUT_MS }, lifecycle);
  const { called, expected, seconds } = found;
  const verdicts: [string, boolean, string][] = [
    ['the campaign', found.status === 'completed', `${found.status} after ${seconds.toFixed(0)} s`],
    ['numbers that sipp saw', called.size === CONTACTS, String(called.size)],
    [
      'numbers called too often or not again',
      found.wrongCounts.length === 0,
      found.wrongCounts.join(', ') || 'none',
    ],
    ['numbers called twice at once', found.overlapping.length === 0, found.overlapping.join(', ') || 'none'],
    ['succeeded', found.succeeded === expected.succeeded, `${found.succeeded} of ${expected.succeeded}`],
    ['failed', found.failed === expected.failed, `${found.failed} of ${expected.failed}`],
    ['calls with another reason', found.wrongReasons.length === 0, found.wrongReasons.join('; ') || 'none'],
    ['scenarios of sipp', found.sipp === 'ok', found.sipp],
  ];
  for (const [what, isGood, text] of verdicts)
    console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${what}: ${text}`);
  return verdicts.every(([, isGood]) => isGood);
}

await runBench(bench);
