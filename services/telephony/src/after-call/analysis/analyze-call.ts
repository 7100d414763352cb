import type { AnalysisField, CallConfig } from '../../assistants/call-config.ts';
import type { Call } from '../../sessions/call.ts';
import type { Entry } from '../../sessions/ports.ts';
import type { Analyzer, SpokenLine } from './ports.ts';

/** A call that this worker has claimed to analyze. */
export type DueAnalysis = {
  call: Call;
  /** Claims including this one: a later claim voids this one, and so does an erasure that changes what it has read. */
  attempts: number;
  /** Earlier claims whose workers neither finished nor released them. */
  crashes: number;
  edition: number;
  recordingKey: string | null;
  recordingSid: string | null;
};

export type FinishedAnalysis = {
  due: DueAnalysis;
  record: readonly Entry[];
  summary: string | null;
  data: Record<string, unknown> | null;
  /** False: the analysis was given up [calls.13]. */
  complete: boolean;
};

/** The fixed summaries of [calls.13]. */
const VOICEMAIL = 'The call reached voicemail.';
const SILENT = 'The contact did not speak.';
const NOT_UNDERSTOOD = 'No words of the contact were recognized.';

type AnalysisInputs = { due: DueAnalysis; record: readonly Entry[]; config: CallConfig };

/**
 * Summary and data of an ended call. A call that never connected has no summary, and one without words of the contact needs no analyzer. Rejects if
 * the analyzer fails.
 */
export async function analyzeCall(
  analyzer: Analyzer,
  { due, record, config }: AnalysisInputs,
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
  // After a failure it is unknown whether the contact spoke [calls.20].
  if (!lines.some(({ role }) => role === 'user'))
    return plain(state.reason === 'error' ? NOT_UNDERSTOOD : SILENT);
  const asked = enabled ? fields : [];
  const { summary, data } = await analyzer.analyze(
    { lines, fields: asked, language: config.language },
    signal,
  );
  return { due, record, summary, data: configuredValues(asked, data), complete: true };
}

function spokenLines(record: readonly Entry[]): SpokenLine[] {
  return record.flatMap((entry) =>
    entry.role === 'tool' ? [] : [{ role: entry.role, content: entry.content }],
  );
}

/**
 * The analyzer's values for the configured fields [assistants.17]; null for a value that is missing or of another type, and
 * null instead of an object that has only nulls.
 */
export function configuredValues(
  fields: readonly AnalysisField[],
  found: Readonly<Record<string, unknown>>,
): Record<string, unknown> | null {
  const values = fields.map((field) => {
    const value = Object.hasOwn(found, field.name) ? found[field.name] : null;
    return [field.name, isOf(field, value) ? value : null] as const;
  });
  return values.some(([, value]) => value !== null) ? Object.fromEntries(values) : null;
}

function isOf({ type, choices }: AnalysisField, value: unknown): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string' && value.trim() !== '';
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'enum':
      return choices.some((choice) => choice === value);
  }
}
