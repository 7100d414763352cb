import type { AnalysisField, CallConfig } from '../../assistants/call-config.ts';

export type SpokenLine = { role: 'user' | 'agent'; content: string };

export type AnalysisInput = {
  /** In order, without tools; at least one line is the human's. */
  lines: readonly SpokenLine[];
  fields: readonly AnalysisField[];
  /** The assistant's language. */
  language: string;
};

type AnalysisResult = { summary: string; data: Record<string, unknown> };

/** Analyses a conversation after the call. May fail: it is retried for three hours [calls.13]. */
export type Analyzer = { analyze(input: AnalysisInput, signal: AbortSignal): Promise<AnalysisResult> };

/** The analyzer of an assistant, by its model. */
export type FindAnalyzer = (model: CallConfig['model']) => Analyzer;
