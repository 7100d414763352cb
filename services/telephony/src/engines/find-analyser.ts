import type { OpenAI } from 'openai';
import type { FindAnalyser } from '../domain/analysis/ports.ts';
import { ruleAnalyser } from '../domain/analysis/rule-analyser.ts';
import { createOpenAiAnalyser } from './openai/openai-analyser.ts';

export type FindAnalyserDeps = {
  openai: OpenAI | undefined;
  timeoutMs: number;
  defaultModel: string | undefined;
};

/** An assistant's calls are read by its own model, where the operator still has it configured; by rules otherwise. */
export function createFindAnalyser({ openai, timeoutMs, defaultModel }: FindAnalyserDeps): FindAnalyser {
  return ({ provider, name }) => {
    if (provider !== 'openai' || !openai) return ruleAnalyser;
    const model = (name.startsWith('scripted-') && defaultModel) || name;
    return createOpenAiAnalyser({ openai, model, timeoutMs });
  };
}
