import { z } from 'zod';

const SEVERE = ['high', 'critical'];

/** What is read of `pnpm audit --json`. */
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

/** What an audit means: severe holes fail, lesser ones are told, and an answer that is none is no finding. */
export function judgeAudit(output: string): { ok: boolean; lines: string[] } {
  const parsed = report.safeParse(json(output));
  if (!parsed.success) {
    const said = output.trim().split('\n').slice(0, 5);
    return { ok: true, lines: ['The registry could not be asked for known holes:', ...said] };
  }
  const advisories = Object.values(parsed.data.advisories);
  const severe = advisories.filter(({ severity }) => SEVERE.includes(severity));
  const lines = advisories.map(
    ({ severity, module_name, title, patched_versions, url }) =>
      `${severity}: ${module_name}: ${title} (fixed in ${patched_versions || 'nothing yet'}) ${url ?? ''}`,
  );
  const lesser = advisories.length - severe.length;
  const sum = `Known holes in dependencies: ${severe.length} high or critical, ${lesser} lesser`;
  return { ok: severe.length === 0, lines: [...lines, sum] };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
