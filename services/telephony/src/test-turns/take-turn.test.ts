import { describe, expect, it } from '@jest/globals';
import { testAssistant } from '@parley/contracts';
import { createKeyedLimiter } from '@parley/kit/concurrency';
import { createLogger } from '@parley/kit/log';
import { createClock } from '@parley/kit/time';
import type { ConversationEngine } from '../engines/engine.ts';
import { streamTestTurn } from './stream-turn.ts';
import { type TestTurnDeps, takeTestTurn } from './take-turn.ts';

/** An engine that says something and then waits forever. */
const stuck: ConversationEngine = {
  capabilities: { nonBlockingTools: false },
  run: async ({ port, signal }) => {
    await port.say('One moment.', signal);
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  },
};

const deps = {
  drafts: {
    get: async () => ({
      agent_id: 'a',
      agent_name: 'Ada',
      version: 1,
      webhook_url: null,
      agent_type: 'Single Prompt',
      config: {},
      tools: [],
    }),
  },
  findEngine: () => stuck,
  turns: createKeyedLimiter({ concurrency: 1 }),
  turnTimeoutMs: 30,
  settings: { get: async () => null },
  clock: createClock({ rate: 1, originMs: 0 }),
  log: createLogger({ service: 'telephony', level: 'silent' }),
} as unknown as TestTurnDeps;

const auth = { workspaceId: 'w', actor: { kind: 'key' as const, id: 'k' } };
const body = testAssistant.body.parse({});

describe('a test turn that takes too long [dashboard.13]', () => {
  it('returns what has happened until then', async () => {
    const answer = await takeTestTurn(deps, { auth, body }, new AbortController().signal);
    expect(answer).toMatchObject({
      entries: [{ role: 'agent', content: 'One moment.' }],
      is_timed_out: true,
      ended_by: null,
    });
  });

  it('refuses further turns of the workspace meanwhile', async () => {
    const first = takeTestTurn(deps, { auth, body }, new AbortController().signal);
    const second = takeTestTurn(deps, { auth, body }, new AbortController().signal);
    await expect(second).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(first).resolves.toMatchObject({ is_timed_out: true });
  });
});

describe('a turn that is streamed [dashboard.10]', () => {
  const withEngine = (run: ConversationEngine['run']): TestTurnDeps => ({
    ...deps,
    findEngine: () => ({ ...stuck, run }),
  });
  const stream = (from: TestTurnDeps) => streamTestTurn(from, { auth, body }, new AbortController().signal);
  const linesOf = async (from: TestTurnDeps): Promise<unknown[]> => {
    const lines: unknown[] = [];
    for await (const line of await stream(from)) lines.push(JSON.parse(line));
    return lines;
  };

  it('has a line for each entry, and at the end the whole turn', async () => {
    const entry = { role: 'agent', content: 'One moment.' };
    expect(await linesOf(deps)).toMatchObject([
      { type: 'entry', entry },
      { type: 'turn', turn: { entries: [entry], is_timed_out: true } },
    ]);
  });

  it('ends with the error of what fails after the first line, and is an error before it', async () => {
    const broken = withEngine(async ({ port, signal }) => {
      await port.say('Hello.', signal);
      throw new Error('the model has gone');
    });
    expect(await linesOf(broken)).toMatchObject([
      { type: 'entry' },
      { type: 'error', error: { code: 'INTERNAL_ERROR', message: expect.not.stringContaining('model') } },
    ]);
    const neverBegun = withEngine(async () => {
      throw new Error('the model has gone');
    });
    await expect(stream(neverBegun)).rejects.toThrow('the model has gone');
  });
});

describe('a test turn whose texts become too long [trust.29]', () => {
  it('is refused, and names the variables', async () => {
    const config = { systemPrompt: '{{a}}'.repeat(20_000) };
    const get = async () => ({ ...(await deps.drafts.get('w', { agentId: 'a', config })), config });
    const long = testAssistant.body.parse({ dynamic_variables: { a: 'x'.repeat(1_000) } });
    const turn = takeTestTurn(
      { ...deps, drafts: { get } },
      { auth, body: long },
      new AbortController().signal,
    );
    await expect(turn).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ path: 'dynamic_variables', code: 'too_big' }],
    });
  });
});
