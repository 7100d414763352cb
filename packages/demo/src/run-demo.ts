import { createClient } from '@parley/client';
import type { Releases } from '@parley/devstack';
import { createPaint, createSteps, formatMs } from '@parley/devstack';
import { abandonCampaign, draftCampaign, runCampaign } from './campaign.ts';
import { makePeople, type Person, randomPrefix } from './contacts.ts';
import { findGaps } from './find-gaps.ts';
import type { RunningStack } from './find-stack.ts';
import { followProgress } from './follow-progress.ts';
import { paceFor } from './pace.ts';
import type { Receiver } from './receiver.ts';
import { showReport } from './report.ts';
import { type Results, readResults } from './results.ts';
import { setUp } from './set-up.ts';
import { placeOneCall } from './single-call.ts';
import { wrapText } from './wrap-text.ts';

export type { Receiver };

const CONTACTS = 25;
/** Requests are retried until their deadline: services may be restarting. */
const RETRIES = 20;
/** Maximum time without any progress, beyond the delay of the retries. */
const TIMEOUT_MS = 60_000;

/** Runs the demo; true if every expected result was found. Resources are registered with `releases`. */
export async function runDemo(
  stack: RunningStack,
  stopping: AbortSignal,
  releases: Releases,
): Promise<boolean> {
  const output = process.stdout;
  const { results, receiver, fromNumber } = await playDemo(stack, stopping, releases);
  const gaps = findGaps(results, receiver);
  createSteps(output).print(
    showReport({
      results,
      receiver,
      gaps,
      width: output.columns ?? 100,
      paint: createPaint(output.isTTY === true),
      gatewayUrl: stack.gatewayUrl,
      fromNumber,
    }),
  );
  return gaps.length === 0;
}

/** The part of the demo that fills a workspace: an assistant, a number, a call, a campaign, and their webhooks. */
export async function playDemo(
  { gatewayUrl, demo, clock }: RunningStack,
  stopping: AbortSignal,
  releases: Releases,
): Promise<{ results: Results; receiver: Receiver; fromNumber: string }> {
  const output = process.stdout;
  const width = output.columns ?? 100;
  const paint = createPaint(output.isTTY === true);
  const { step, print } = createSteps(output);
  const client = createClient({ baseUrl: gatewayUrl, apiKey: demo.private_key, retries: RETRIES });
  const pace = paceFor(clock.rate);
  print(`\n${paint('bold', 'Parley demo')}, against ${gatewayUrl} in the workspace ${demo.name}\n`);

  const { receiver, assistant, fromNumber } = await setUp({
    client,
    stopping,
    pace,
    step,
    releases,
    secret: demo.webhook_secret,
  });
  const prefix = randomPrefix();
  const single = await step('Call', (hint) =>
    placeOneCall(client, { fromNumber, toNumber: `${prefix}0149`, receiver, stopping }, hint),
  );

  const people = makePeople(prefix, CONTACTS);
  let isOver = false;
  const campaignId = await step('Campaign', async (hint) => {
    const id = await draftCampaign(client, { agentId: assistant.id, fromNumber, people, pace });
    await releases.add(() => (isOver ? undefined : abandonCampaign(client, id)));
    hint(`${people.length} contacts, ${id}`);
    return id;
  });
  const retryMs = clock.toRealMs(pace.retryMinutes * 60_000);
  print(announcement(people, retryMs, width));

  const view = followProgress(output, paint);
  const watch = { clock, stopping, timeoutMs: retryMs + TIMEOUT_MS, onProgress: view.show };
  const state = await runCampaign(client, campaignId, watch).finally(view.end);
  isOver = state.campaign.status === 'completed';
  const results = await step('Results', async (hint) => {
    const { deliveries } = receiver;
    const onWait = (missing: number) => hint(`waiting for ${missing} webhooks`);
    const read = await readResults(client, { single, state, people, deliveries, stopping, onWait });
    hint(`${read.calls.length} calls and their webhooks`);
    return read;
  });

  return { results, receiver, fromNumber };
}

function announcement(people: readonly Person[], retryMs: number, width: number): string {
  const again = people.filter(({ attempts }) => attempts > 1).length;
  const wait = formatMs(retryMs).replace('1 min 0 s', 'a minute').replace('.0 s', ' s');
  const text =
    'The contacts cover every outcome of the simulated carrier. Those that were not reached are ' +
    `called once more, ${again} of them, ${wait} after their first call; the others are done sooner.`;
  return `\n  ${wrapText(text, width - 3).join('\n  ')}\n`;
}
