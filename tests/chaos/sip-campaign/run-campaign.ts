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
import { createCampaign, resume, stageDialing } from '@parley/testkit/stage';

/** What the trunk does with a call, and how it ends. */
const OUTCOMES: Readonly<Record<string, { status: number; reason: string; ends: string; isFinal?: true }>> = {
  '0001': { status: 200, reason: 'OK', ends: 'user_hangup' },
  '0002': { status: 486, reason: 'Busy Here', ends: 'dial_busy' },
  '0003': { status: 480, reason: 'Temporarily Unavailable', ends: 'dial_no_answer' },
  '0004': { status: 404, reason: 'Not Found', ends: 'dial_failed', isFinal: true },
  '0005': { status: 503, reason: 'Service Unavailable', ends: 'dial_failed' },
};
/** The outcomes of a number's attempts, by its last four digits; without an entry, that of each is the one with these digits. */
const CHANGES: Readonly<Record<string, readonly [string, string]>> = {
  '0006': ['0002', '0001'],
  '0007': ['0003', '0001'],
};
const ENDINGS = ['0001', '0006', '0002', '0003', '0001', '0004', '0007', '0005', '0001', '0006'];
const MAX_RETRIES = 1;
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
  /** Numbers that were called more or less often than their outcomes ask for. */
  wrongCounts: string[];
  /** Numbers that were called while a call to them was up. */
  overlapping: string[];
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
  const stage = await stageDialing(
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
    steps: trunkSteps(contacts),
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
  const campaign = await createCampaign(stage, line, contacts, {
    endings: ENDINGS,
    max_retries: MAX_RETRIES,
  });
  await resume(stage, campaign);
  let status = '';
  while (status !== 'completed' && performance.now() - began < timeoutMs) {
    await sleep(250);
    const [row] = await stage.campaignsSql.$queryRaw<{ status: string }[]>`SELECT status FROM campaigns`;
    status = row?.status ?? '';
    // Retries would wait for a minute at least.
    await stage.campaignsSql.$executeRaw`UPDATE contacts SET next_attempt_at = now() - interval '1 second'
      WHERE status = 'retrying' AND NOT EXISTS (SELECT FROM contacts WHERE status IN ('pending', 'dialing', 'in_progress'))`;
  }
  const seconds = (performance.now() - began) / 1_000;
  // Time for the BYE of the last call.
  await sleep(1_000);
  await trunk.stop();
  const { errors } = await trunk.exited;
  const [tally] = await stage.campaignsSql.$queryRaw<{ succeeded: number; failed: number }[]>`
    SELECT coalesce(sum(succeeded), 0)::int AS succeeded, coalesce(sum(failed), 0)::int AS failed FROM campaign_tallies`;
  const calls = await stage.telephonySql.$queryRaw<
    Call[]
  >`SELECT to_number AS number, disconnection_reason AS reason,
      started_at AS "startedAt", ended_at AS "endedAt",
      (SELECT detail::text FROM call_events WHERE call_id = id AND type = 'ended' LIMIT 1) AS detail
      FROM calls ORDER BY started_at`;
  const called = countCalls(await readFile(logFile, 'utf8'));
  const succeeded = endingsOf(contacts).filter((ending) => outcomesOf(ending).at(-1)?.status === 200).length;
  const ofNumbers = new Map<string, Call[]>();
  for (const call of calls) ofNumbers.set(call.number, [...(ofNumbers.get(call.number) ?? []), call]);
  return {
    called,
    status,
    succeeded: tally?.succeeded ?? 0,
    failed: tally?.failed ?? 0,
    expected: { succeeded, failed: contacts - succeeded },
    wrongCounts: [...called].flatMap(([number, count]) =>
      count === outcomesOf(number.slice(-4)).length ? [] : [`${number}: ${count}`],
    ),
    overlapping: [...ofNumbers].flatMap(([number, attempts]) =>
      attempts.some(({ startedAt }, n) => n > 0 && !isBefore(attempts[n - 1]?.endedAt, startedAt))
        ? [number]
        : [],
    ),
    wrongReasons: [...ofNumbers].flatMap(([number, attempts]) =>
      attempts.flatMap(({ reason, detail }, n) =>
        outcomesOf(number.slice(-4))[n]?.ends === reason ? [] : [`${number}: ${reason} ${detail}`],
      ),
    ),
    sipp: complaintsOf(errors).slice(0, MAX_ERRORS) || 'ok',
    seconds,
  };
}

type Call = {
  number: string;
  reason: string | null;
  detail: string | null;
  startedAt: Date | null;
  endedAt: Date | null;
};

const isBefore = (one: Date | null | undefined, other: Date | null): boolean =>
  one instanceof Date && other instanceof Date && one <= other;

const endingsOf = (contacts: number): string[] =>
  Array.from({ length: contacts }, (_, n) => ENDINGS[n % ENDINGS.length] ?? '');

/** Of each attempt at a number with these last digits. */
function outcomesOf(ending: string): (typeof OUTCOMES)[string][] {
  const attempts = (CHANGES[ending] ?? Array.from({ length: 1 + MAX_RETRIES }, () => ending)).flatMap(
    (name) => OUTCOMES[name] ?? [],
  );
  const last = attempts.findIndex(({ status, isFinal }) => status === 200 || isFinal);
  return last === -1 ? attempts : attempts.slice(0, last + 1);
}

/** One scenario for all numbers, which branches by what was called, and for checks of the trunk. */
function trunkSteps(contacts: number): string[] {
  const names = Object.keys(OUTCOMES);
  const changing = Object.keys(CHANGES);
  const all = [...names, ...changing];
  const label = (name: string): number => all.indexOf(name) + 1;
  const check = all.length + 1;
  const end = check + 1;
  const numbersWith = (name: string): number =>
    endingsOf(contacts).filter((ending) => ending === name).length;
  const isNumber = all
    .map((name) => `<ereg regexp="${name}@" search_in="hdr" header="To:" assign_to="is${name}"/>`)
    .join('');
  const noted = `<ereg regexp="[+][0-9]+" search_in="hdr" header="To:" assign_to="called"/><log message="called [$called]"/>`;
  const first = expectRequest('INVITE').replace('</action>', `${isNumber}${noted}</action>`);
  return [
    `<Global variables="${changing.map((name) => `count${name}`).join(',')}"/>`,
    expectRequest('OPTIONS', { optional: true, next: check }),
    first,
    ...names.map((name) => `<nop next="${label(name)}" test="is${name}"/>`),
    ...changing.map((name) => `<nop next="${label(name)}" test="is${name}"/>`),
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
    // No retry is due before all first attempts are over.
    ...Object.entries(CHANGES).flatMap(([name, [before, after]]) => [
      `<label id="${label(name)}"/>`,
      `<nop next="${label(after)}" test="later${name}"><action><add assign_to="count${name}" value="1"/>
        <test assign_to="later${name}" variable="count${name}" compare="greater_than" value="${numbersWith(name)}"/></action></nop>`,
      `<nop next="${label(before)}"/>`,
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

/** Remarks of sipp that say nothing of the calls: on requests without a Contact, such as each ACK, and on a busy machine. */
const REMARKS = ['Cannot record route set if there is no Contact', 'Overload warning'];

function complaintsOf(errors: string): string {
  return errors
    .split(/^The following events occurred:\n|(?=\d{4}-\d\d-\d\d\t)/)
    .filter((event) => event !== '' && !REMARKS.some((remark) => event.includes(remark)))
    .join('');
}
