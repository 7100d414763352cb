import { z } from 'zod';

const SEVERE = ['high', 'critical'];

/** The part of `pnpm audit --json` that is used. */
const report = z.object({
  advisories: z.record(
    z.string(),
    z.object({
      module_name: z.string(),
      severity: z.string(),
      title: z.string(),
      url: z.string().optional(),
      patched_versions: z.string().nullish(),
    }),
  ),
});

/** `not audited`: the output is not a report, so the state of the dependencies is unknown. */
export type Verdict = { outcome: 'clean' | 'vulnerable' | 'not audited'; lines: string[] };

/** Interprets the output of an audit: severe vulnerabilities fail it, lesser ones are listed. */
export function judgeAudit(output: string): Verdict {
  const parsed = report.safeParse(json(output));
  if (!parsed.success) {
    const lines = output.trim().split('\n').slice(0, 5);
    return { outcome: 'not audited', lines: lines.map((line) => line.slice(0, 500)) };
  }
  const advisories = Object.values(parsed.data.advisories);
  const severe = advisories.filter(({ severity }) => SEVERE.includes(severity));
  const lines = advisories.map(
    ({ severity, module_name, title, patched_versions, url }) =>
      `${severity}: ${module_name}: ${title} (fixed in ${patched_versions || 'nothing yet'}) ${url ?? ''}`,
  );
  const lesser = advisories.length - severe.length;
  const sum = `Known vulnerabilities in dependencies: ${severe.length} high or critical, ${lesser} lesser`;
  return { outcome: severe.length === 0 ? 'clean' : 'vulnerable', lines: [...lines, sum] };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
