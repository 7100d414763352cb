import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@parley/kit/log';
import type { EngineInput, EngineTool, ToolAnswer } from '../engine.ts';
import { makeArguments } from './make-arguments.ts';
import { createScriptedEngine } from './scripted-engine.ts';

const tool = (tool_name: string, given: Partial<EngineTool> = {}): EngineTool => ({
  tool_name,
  tool_type: 'custom',
  description: null,
  parameters: null,
  tool_behavior: 'blocking',
  result_scheduling: 'when_idle',
  ...given,
});

type Conversation = Partial<EngineInput> & {
  answer?: (name: string) => ToolAnswer | Promise<ToolAnswer>;
  live?: boolean;
};

/** Runs a conversation in which the human says the given lines, and then nothing. */
async function converse(lines: (string | (() => Promise<string>))[], given: Conversation = {}) {
  const { answer = () => ({ result: { ok: true }, error: null }), live = false, ...input } = given;
  const ending = new AbortController();
  const said: string[] = [];
  const used: { name: string; args: unknown }[] = [];
  const left = [...lines];
  const run = createScriptedEngine(live).run(
    {
      direction: 'outbound',
      systemPrompt: 'You are the assistant of Acme. Be kind.',
      firstMessage: '',
      model: { name: 'scripted-1', temperature: 0.3 },
      language: 'en-US',
      variables: {},
      tools: [],
      history: [],
      log: createLogger({ service: 'telephony', level: 'silent' }),
      signal: ending.signal,
      port: {
        say: async (text) => {
          const spoken = { text: String(text), isInterrupted: false, firstAudioAtMs: 0 };
          said.push(spoken.text);
          return spoken;
        },
        hear: async () => {
          const line = left.shift();
          const times = { source: 'text' as const, confidence: null, startedAtMs: 0, endedAtMs: 0 };
          if (line !== undefined) return { text: typeof line === 'string' ? line : await line(), ...times };
          ending.abort(new Error('over'));
          throw ending.signal.reason;
        },
      },
      ...input,
    },
    {
      useTool: async (name, args) => {
        used.push({ name, args });
        return answer(name);
      },
    },
  );
  await expect(run).rejects.toThrow('over');
  return { said, used };
}

describe('scripted engine', () => {
  it('introduces itself from its prompt on outbound calls, waits on inbound calls, and says its first message on both [assistants.10]', async () => {
    expect((await converse([])).said).toEqual([expect.stringContaining('I am the assistant of Acme.')]);
    expect((await converse([], { direction: 'inbound' })).said).toEqual([]);
    expect((await converse([], { direction: 'inbound', firstMessage: 'Welcome!' })).said).toEqual([
      'Welcome!',
    ]);
  });

  it('gives identical answers to identical words', async () => {
    const lines = ['Hi, who is this?', 'My name is Ada Novak.', 'No, not now.', 'Bye'];
    expect(await converse(lines)).toEqual(await converse(lines));
  });

  it('uses a tool that is named or implied, with arguments, and reports its result', async () => {
    const tools = [
      tool('check_order', {
        description: 'Looks up the status of an order',
        parameters: { type: 'object', properties: { order_number: { type: 'integer' } } },
      }),
    ];
    const { used, said } = await converse(['My order number is 48213.', 'What about that order?'], { tools });
    expect(used).toEqual([{ name: 'check_order', args: { order_number: 48_213 } }]);
    expect(said[1]).toContain('{"ok":true}');
    const named = await converse(['Please check order 7 now', 'check_order 8'], { tools });
    expect(named.used.map(({ args }) => args)).toEqual([{ order_number: 7 }, { order_number: 8 }]);
  });

  it('uses each of its tools in turn when asked to, with those that end the call last', async () => {
    const tools = [tool('end_call', { tool_type: 'native' }), tool('weather'), tool('crm')];
    const { used, said } = await converse(
      ['Please use the first of your tools.', ...Array(3).fill('Now use the next of your tools, please.')],
      { tools },
    );
    expect(used.map(({ name }) => name)).toEqual(['weather', 'crm', 'end_call']);
    expect(said.at(-1)).toContain('no more tools');
  });

  it('continues where another worker stopped', async () => {
    const history = [
      { role: 'agent' as const, content: 'Hello!' },
      { role: 'user' as const, content: 'My name is Ada.' },
    ];
    expect((await converse([], { history })).said).toEqual([expect.stringContaining('Ada')]);
    expect((await converse([], { history: history.slice(0, 1) })).said).toEqual([]);
  });

  it('answers questions from its documents, and says when it finds nothing', async () => {
    const tools = [tool('search_knowledge_base', { tool_type: 'knowledge_base', parameters: QUERY })];
    const passages = [
      { title: 'Opening hours', text: 'We sell tea. Our shop opens on Monday at nine. It closes at six.' },
    ];
    const found = await converse(['When does the shop open on Monday?'], {
      tools,
      answer: () => ({ result: { passages }, error: null }),
    });
    expect(found.used).toEqual([
      { name: 'search_knowledge_base', args: { query: 'When does the shop open on Monday?' } },
    ]);
    expect(found.said[1]).toBe('Opening hours says: Our shop opens on Monday at nine. It closes at six.');
    const ask = (given: ToolAnswer) => converse(['What is the answer?'], { tools, answer: () => given });
    expect((await ask({ result: { passages: [] }, error: null })).said[1]).toContain('nothing about that');
    expect((await ask({ result: null, error: 'away' })).said[1]).toContain('cannot look that up');
    expect((await converse(['What is the answer?'])).said[1]).toContain('simple rules');
  });

  it('remembers facts, passes them to tools, and summarizes them when saying goodbye', async () => {
    const parameters = { properties: { customer_name: { type: 'string' }, date: { type: 'string' } } };
    const tools = [tool('book_appointment', { description: 'Books an appointment', parameters })];
    const lines = ['My name is Ada Novak.', 'Friday at 10 would work.', 'Please book the appointment', 'Bye'];
    const { used, said } = await converse(lines, { tools });
    expect(used).toEqual([
      { name: 'book_appointment', args: { customer_name: 'Ada Novak', date: 'Friday at 10' } },
    ]);
    expect(said.at(-1)).toBe('Thank you for your time. I have noted Ada Novak and Friday at 10. Goodbye!');
    const asked = await converse(['My name is Ada.', 'Are you open on Monday?', 'Bye'], { tools });
    expect(asked.said.at(-1)).toContain('noted Ada. Goodbye!');
  });

  it('hangs up when asked to, and when both have said goodbye', async () => {
    const tools = [tool('end_call', { tool_type: 'native' })];
    expect((await converse(['Please end this call'], { tools })).used).toMatchObject([{ name: 'end_call' }]);
    expect((await converse(['Bye'], { tools })).used).toEqual([]);
    expect((await converse(['Bye', 'Goodbye'], { tools })).used).toMatchObject([{ name: 'end_call' }]);
  });

  it('reports a talking machine, if possible, and nothing else', async () => {
    const tools = [tool('report_voicemail', { tool_type: 'native' })];
    const machine = 'Ada is not available right now. Please leave a message after the tone.';
    expect((await converse([machine], { tools })).used).toMatchObject([{ name: 'report_voicemail' }]);
    expect((await converse(['Please use the first of your tools.'], { tools })).used).toEqual([]);
    expect((await converse([machine])).used).toEqual([]);
  });
});

describe('scripted-live-1 [tools.12]', () => {
  const slow = (given: Partial<EngineTool> = {}) =>
    tool('check_stock', { description: 'Checks the stock', tool_behavior: 'non_blocking', ...given });
  const later = <T>(value: T, ms: number) =>
    new Promise<T>((resolve) => setTimeout(() => resolve(value), ms));

  it('continues while a tool runs, and reports its result at the next pause', async () => {
    const { said } = await converse(['Check stock please', 'Yes, I see.', () => later('Bye', 60)], {
      live: true,
      tools: [slow()],
      answer: () => later({ result: { pieces: 3 }, error: null }, 20),
    });
    expect(said.slice(1, 4)).toEqual([
      'I have started check stock. Please continue in the meantime.',
      expect.stringContaining('Great'),
      'I have used check stock. It says: {"pieces":3}',
    ]);
  });

  it('remembers a silent result until it is asked for', async () => {
    const { said, used } = await converse(
      ['Check stock please', () => later('Hm.', 20), 'Check stock please'],
      {
        live: true,
        tools: [slow({ result_scheduling: 'silent' })],
        answer: () => ({ result: { pieces: 3 }, error: null }),
      },
    );
    expect(said.filter((line) => line.includes('pieces'))).toHaveLength(1);
    expect(said.at(-1)).toContain('pieces');
    expect(used).toHaveLength(1);
  });

  it('waits for a blocking tool', async () => {
    const { said } = await converse(['Check stock please'], {
      live: true,
      tools: [slow({ tool_behavior: 'blocking' })],
    });
    expect(said.at(-1)).toBe('I have used check stock. It says: {"ok":true}');
  });
});

const QUERY = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };

describe('makeArguments', () => {
  it('creates every kind of parameter', () => {
    const parameters = {
      type: 'object',
      properties: {
        note: { type: 'string' },
        size: { type: 'string', enum: ['s', 'm'] },
        count: { type: 'integer', minimum: 1, maximum: 10 },
        price: { type: 'number' },
        ok: { type: 'boolean' },
        list: { type: 'array', items: { type: 'string' } },
        deep: { type: 'object', properties: { n: { type: 'number' } } },
        email: { type: 'string' },
      },
    };
    const said = { line: 'Yes, 12 for 3.5', variables: { email: 'a@b.c', ok: 'yes' }, slots: {} };
    expect(makeArguments(parameters, said)).toEqual({
      note: 'Yes, 12 for 3.5',
      size: 's',
      count: 10,
      price: 3.5,
      ok: true,
      list: ['Yes, 12 for 3.5'],
      deep: { n: 1 },
      email: 'a@b.c',
    });
    expect(makeArguments(null, said)).toEqual({});
    const size = { properties: { size: parameters.properties.size } };
    expect(makeArguments(size, { ...said, line: 'Size M, please' })).toEqual({ size: 'm' });
  });
});
