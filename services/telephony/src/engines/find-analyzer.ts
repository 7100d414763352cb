import type { OpenAI } from 'openai';
import type { FindAnalyzer } from '../after-call/analysis/ports.ts';
import { ruleAnalyzer } from '../after-call/analysis/rule-analyzer.ts';
import { createOpenAiAnalyzer } from './chat/openai-analyzer.ts';

export type FindAnalyzerDeps = {
  openai: OpenAI | undefined;
  timeoutMs: number;
  defaultModel: string | undefined;
};

/** Analyzes calls with the assistant's own model if its provider is configured, otherwise by rules. */
export function createFindAnalyzer({ openai, timeoutMs, defaultModel }: FindAnalyzerDeps): FindAnalyzer {
  return ({ provider, name }) => {
    if (provider !== 'openai' || !openai) return ruleAnalyzer;
    const model = (name.startsWith('scripted-') && defaultModel) || name;
    return createOpenAiAnalyzer({ openai, model, timeoutMs });
  };
}
