import { judgeAudit, type Verdict } from './judge-audit.ts';

const TRIES = 3;
const PAUSE_MS = 3_000;

/** A run without a report has an exit code of its own, so that callers can distinguish it from vulnerabilities. */
const EXIT_CODES: Record<Verdict['outcome'], number> = { clean: 0, vulnerable: 1, 'not audited': 2 };

/** One request to the registry; returns its output. */
export type FetchReport = () => Promise<string>;

/** Tries up to three times; reports explicitly if there is no report. */
export async function runAudit(
  fetchReport: FetchReport,
  pause: (ms: number) => Promise<void>,
): Promise<{ exitCode: number; lines: string[] }> {
  let verdict = judgeAudit(await fetchReport());
  for (let tries = 1; verdict.outcome === 'not audited' && tries < TRIES; tries += 1) {
    await pause(PAUSE_MS * tries);
    verdict = judgeAudit(await fetchReport());
  }
  const exitCode = EXIT_CODES[verdict.outcome];
  if (verdict.outcome !== 'not audited') return { exitCode, lines: verdict.lines };
  const heading = `NOT AUDITED: the registry returned no report on known vulnerabilities in ${TRIES} tries. Its output:`;
  return { exitCode, lines: [heading, ...verdict.lines] };
}
