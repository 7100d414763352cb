import type { Entry } from '../calls/ports.ts';
import type { CallConfig } from '../conversation/call-config.ts';
import { conform } from './conform.ts';
import type { Analyser, DueAnalysis, FinishedAnalysis, SpokenLine } from './ports.ts';

/** The fixed sentences of D6.7. */
const VOICEMAIL = 'The call reached voicemail.';
const SILENT = 'The contact did not speak.';

export type AnalysisScene = { due: DueAnalysis; record: readonly Entry[]; config: CallConfig };

/**
 * Summary and data of a finished call. A call that never connected has no summary; what nobody said needs no analyser.
 * Rejects when the analyser fails.
 */
export async function analyseCall(
  analyser: Analyser,
  { due, record, config }: AnalysisScene,
  signal: AbortSignal,
): Promise<FinishedAnalysis> {
  const { state } = due.call;
  const { enabled, fields } = config.settings.postCallAnalysis;
  const lines = spokenLines(record);
  const plain = (summary: string | null): FinishedAnalysis => ({
    due,
    record,
    summary,
    data: null,
    complete: true,
  });
  if (!state.answeredAt) return plain(null);
  if (state.reason === 'voicemail') return plain(VOICEMAIL);
  if (!lines.some(({ role }) => role === 'user')) return plain(SILENT);
  const asked = enabled ? fields : [];
  const { summary, data } = await analyser.analyse(
    { lines, fields: asked, language: config.language },
    signal,
  );
  return { due, record, summary, data: conform(asked, data), complete: true };
}

export function spokenLines(record: readonly Entry[]): SpokenLine[] {
  return record.flatMap((entry) =>
    entry.role === 'tool' ? [] : [{ role: entry.role, content: entry.content }],
  );
}
