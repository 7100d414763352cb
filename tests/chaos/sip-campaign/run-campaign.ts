import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lifecycle } from '@parley/kit/lifecycle';
import {
  expectRequest,
  expectResponse,
  pause,
  requestInside,
  respond,
  SIPP_SDP,
  startSipp,
} from '@parley/testkit/sip';
import { createCampaign, resume, stageDialling } from '@parley/testkit/stage';

/** What the trunk does with a number, by its last four digits, and how its call ends. */
const OUTCOMES: Readonly<Record<string, { status: number; reason: string; ends: string }>> = {
  '0001': { status: 200, reason: 'OK', ends: 'user_hangup' },
  '0002': { status: 486, reason: 'Busy Here', ends: 'dial_busy' },
  '0003': { status: 480, reason: 'Temporarily Unavailable', ends: 'dial_no_answer' },
  '0004': { status: 404, reason: 'Not Found', ends: 'dial_failed' },
  '0005': { status: 503, reason: 'Service Unavailable', ends: 'dial_failed' },
};
const ENDINGS = ['0001', '0002', '0001', '0003', '0001', '0004', '0001', '0005', '0001', '0002'];
const TALK_MS = 1_500;
const MAX_ERRORS = 3_000;
const MANY = 1_000_000;
/** Wideband, which the embedded recognition supports. */
const WIDEBAND = SIPP_SDP.replace('0 101', '9 101').replace('rtpmap:0 PCMU', 'rtpmap:9 G722');

type CampaignFindings = {
  /** How often each number was called, as sipp counted. */
  called: Map<string, number>;
  status: string;
  succeeded: number;
  failed: number;
  expected: { succeeded: number; failed: number };
  /** Calls that ended with another reason than the trunk's outcome has. */
  wrongReasons: string[];
  /** `ok`, or the errors that it reports. */
  sipp: string;
  seconds: number;
};

/** A campaign with this many contacts over a trunk (sipp, by TCP) whose numbers are answered, busy, unanswered, unknown and failing. */
export async function runCampaign(
  { contacts, maxCps, timeoutMs }: { contacts: number; maxCps: number; timeoutMs: number },
  lifecycle: Lifecycle,
): Promise<CampaignFindings> {
  const stage = await stageDialling(
    {
      workers: 2,
      dispatchers: 1,
      env: {
        CARRIERS: 'sip',
        HOST: '127.0.0.1',
        OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
        RTP_PORT_MIN: '33000',
        RTP_PORT_MAX: '45000',
      },
    },
    lifecycle,
  );
  const folder = await mkdtemp(join(tmpdir(), 'parley-sip-campaign-'));
  lifecycle.onStop('log of sipp', () => rm(folder, { recursive: true, force: true }));
  const logFile = join(folder, 'called.log');
  const trunk = await startSipp({
    steps: trunkSteps(),
    // Each check of the trunk (OPTIONS) is a call for sipp as well: it is stopped when the campaign is over.
    calls: MANY,
    timeoutSeconds: Math.ceil(timeoutMs / 1_000) + 60,
    extra: ['-trace_logs', '-log_file', logFile],
  });
  lifecycle.onStop('sipp', trunk.stop);
  const line = await stage.connectNumber(maxCps, {
    termination_uri: `127.0.0.1:${trunk.port}`,
    transport: 'tcp',
  });
  const began = performance.now();
  const campaign = await createCampaign(stage, line, contacts, { endings: ENDINGS, max_retries: 0 });
  await resume(stage, campaign);
  let status = '';
  while (status !== 'completed' && performance.now() - began < timeoutMs) {
    await sleep(250);
    const [row] = await stage.campaignsSql.$queryRaw<{ status: string }[]>`SELECT status FROM campaigns`;
    status = row?.status ?? '';
  }
  const seconds = (performance.now() - began) / 1_000;
  // Time for the BYE of the last call.
  await sleep(1_000);
  await trunk.stop();
  const { errors } = await trunk.exited;
  const [tally] = await stage.campaignsSql.$queryRaw<{ succeeded: number; failed: number }[]>`
    SELECT coalesce(sum(succeeded), 0)::int AS succeeded, coalesce(sum(failed), 0)::int AS failed FROM campaign_tallies`;
  const calls = await stage.telephonySql.$queryRaw<
    { number: string; reason: string | null; detail: string | null }[]
  >`SELECT to_number AS number, disconnection_reason AS reason,
      (SELECT detail::text FROM call_events WHERE call_id = id AND type = 'ended' LIMIT 1) AS detail FROM calls`;
  const endings = Array.from({ length: contacts }, (_, n) => ENDINGS[n % ENDINGS.length]);
  const succeeded = endings.filter((ending) => ending === '0001').length;
  return {
    called: countCalls(await readFile(logFile, 'utf8')),
    status,
    succeeded: tally?.succeeded ?? 0,
    failed: tally?.failed ?? 0,
    expected: { succeeded, failed: contacts - succeeded },
    wrongReasons: calls.flatMap(({ number, reason, detail }) =>
      OUTCOMES[number.slice(-4)]?.ends === reason ? [] : [`${number}: ${reason} ${detail}`],
    ),
    sipp: complaintsOf(errors).slice(0, MAX_ERRORS) || 'ok',
    seconds,
  };
}

/** One scenario for all numbers, which branches by what was called, and for checks of the trunk. */
function trunkSteps(): string[] {
  const names = Object.keys(OUTCOMES);
  const label = (name: string): number => names.indexOf(name) + 1;
  const check = names.length + 1;
  const end = check + 1;
  const tests = names
    .map((name) => `<ereg regexp="${name}@" search_in="hdr" header="To:" assign_to="is${name}"/>`)
    .join('');
  const noted = `<ereg regexp="[+][0-9]+" search_in="hdr" header="To:" assign_to="called"/><log message="called [$called]"/>`;
  const first = expectRequest('INVITE').replace('</action>', `${tests}${noted}</action>`);
  return [
    expectRequest('OPTIONS', { optional: true, next: check }),
    first,
    ...names.map((name) => `<nop next="${label(name)}" test="is${name}"/>`),
    ...Object.entries(OUTCOMES).flatMap(([name, { status, reason }]) => [
      `<label id="${label(name)}"/>`,
      ...(status === 200
        ? [
            respond(180, 'Ringing'),
            respond(200, 'OK', { sdp: WIDEBAND }),
            expectRequest('ACK'),
            pause(TALK_MS),
            requestInside('BYE', 1),
            expectResponse(200),
          ]
        : [respond(status, reason), expectRequest('ACK')]),
      `<nop next="${end}"/>`,
    ]),
    `<label id="${check}"/>`,
    respond(200, 'OK'),
    `<label id="${end}"/>`,
    '<nop/>',
  ];
}

function countCalls(log: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, number = ''] of log.matchAll(/called\s+(\+\d+)/g))
    counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}

/** What sipp reports, apart from its remark on requests without a Contact, such as each ACK. */
function complaintsOf(errors: string): string {
  return errors
    .split(/^The following events occurred:\n|(?=\d{4}-\d\d-\d\d\t)/)
    .filter((event) => event !== '' && !event.includes('Cannot record route set if there is no Contact'))
    .join('');
}
