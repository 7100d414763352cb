import type { OpenAI } from 'openai';
import type { FindAnalyser } from '../after-call/analysis/ports.ts';
import { ruleAnalyser } from '../after-call/analysis/rule-analyser.ts';
import { createOpenAiAnalyser } from './chat/openai-analyser.ts';

export type FindAnalyserDeps = {
  openai: OpenAI | undefined;
  timeoutMs: number;
  defaultModel: string | undefined;
};

/** Analyzes calls with the assistant's own model if its provider is configured, otherwise by rules. */
export function createFindAnalyser({ openai, timeoutMs, defaultModel }: FindAnalyserDeps): FindAnalyser {
  return ({ provider, name }) => {
    if (provider !== 'openai' || !openai) return ruleAnalyser;
    const model = (name.startsWith('scripted-') && defaultModel) || name;
    return createOpenAiAnalyser({ openai, model, timeoutMs });
  };
}
