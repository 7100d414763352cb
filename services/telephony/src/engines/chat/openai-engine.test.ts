import { expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import type { EngineInput } from '../engine.ts';
import { createOpenAiEngine } from './openai-engine.ts';

it('a failure of the model is logged with the id of the call', async () => {
  const logged: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const log = createLogger({ service: 'telephony', level: 'warn', destination });
  const over = new AbortController();
  const said: string[] = [];
  const input: EngineInput = {
    direction: 'outbound',
    systemPrompt: 'You are Ada.',
    firstMessage: '',
    model: { name: 'tea-1', temperature: 1 },
    language: 'en-US',
    variables: {},
    tools: [],
    history: [],
    signal: over.signal,
    log: log.child({ callId: 'call' }),
    port: {
      say: async (text) => {
        let words = '';
        if (typeof text === 'string') words = text;
        else for await (const part of text) words += part;
        said.push(words);
        return { text: words, isInterrupted: false, firstAudioAtMs: 0 };
      },
      hear: async () => {
        over.abort(new Error('over'));
        throw over.signal.reason;
      },
    },
  };
  const chat = () => Promise.reject(new Error('down'));
  const useTool = () => Promise.reject(new Error('no tool is expected'));
  const run = createOpenAiEngine({ chat, defaultModel: undefined }).run(input, { useTool });
  await expect(run).rejects.toThrow('over');
  expect(said).toHaveLength(1);
  expect(logged.map(({ msg, callId }) => [msg, callId])).toEqual([
    ['model request failed', 'call'],
    ['model request failed', 'call'],
  ]);
});
