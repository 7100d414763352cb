import type { Call } from '../calls/call.ts';
import type { Entry } from '../calls/ports.ts';
import type { AnalysisField, CallConfig } from '../conversation/call-config.ts';

export type SpokenLine = { role: 'user' | 'agent'; content: string };

export type AnalysisInput = {
  /** In order, tools left out. At least one line is the human's. */
  lines: readonly SpokenLine[];
  fields: readonly AnalysisField[];
  /** What the assistant speaks. */
  language: string;
};

export type AnalysisResult = { summary: string; data: Record<string, unknown> };

/** Reads a conversation afterwards. May fail: it is asked again for three hours (D6.7). */
export type Analyser = { analyse(input: AnalysisInput, signal: AbortSignal): Promise<AnalysisResult> };

/** The analyser of an assistant, by its model. */
export type FindAnalyser = (model: CallConfig['model']) => Analyser;

/** A call whose analysis is due and which this worker has claimed for a while. */
export type DueAnalysis = {
  call: Call;
  /** How often it was claimed, this time included: a later claim voids this one. */
  attempts: number;
  edition: number;
  recordingKey: string | null;
  recordingSid: string | null;
};

/** What there is to know of a call after its end. */
export type FinishedAnalysis = {
  due: DueAnalysis;
  record: readonly Entry[];
  summary: string | null;
  data: Record<string, unknown> | null;
  /** False: generating it was given up (D6.7). */
  complete: boolean;
};

export type AnalysisQueue = {
  claim(now: Date, most: number): Promise<DueAnalysis[]>;
  readRecords(callIds: readonly string[]): Promise<Map<string, Entry[]>>;
  /** Row and `call.analyzed` in one transaction; each call once, whoever else claimed it meanwhile. */
  finish(finished: FinishedAnalysis): Promise<void>;
  /** Tries again at `at`. */
  postpone(due: DueAnalysis, at: Date): Promise<void>;
};
