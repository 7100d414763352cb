import { describe, expect, it } from '@jest/globals';
import type { EngineInput, EngineTool } from '../../domain/conversation/engine-port.ts';
import { makeArguments } from './make-arguments.ts';
import { scriptedEngine } from './scripted-engine.ts';

const tool = (tool_name: string, given: Partial<EngineTool> = {}): EngineTool => ({
  tool_name,
  is_native: false,
  description: null,
  parameters: null,
  ...given,
});

/** Runs a conversation in which the human says the given lines, and then nothing. */
async function converse(lines: string[], given: Partial<EngineInput> = {}) {
  const ending = new AbortController();
  const said: string[] = [];
  const used: { name: string; args: unknown }[] = [];
  const left = [...lines];
  const run = scriptedEngine.run(
    {
      direction: 'outbound',
      systemPrompt: 'You are the assistant of Acme. Be kind.',
      firstMessage: '',
      variables: {},
      tools: [],
      history: [],
      signal: ending.signal,
      port: {
        say: async () => {},
        hear: async () => {
          const line = left.shift();
          if (line !== undefined) return line;
          ending.abort(new Error('over'));
          throw ending.signal.reason;
        },
      },
      ...given,
    },
    {
      turn: ({ role, content }) => role === 'agent' && said.push(content),
      useTool: async (name, args) => {
        used.push({ name, args });
        return { result: { ok: true }, error: null };
      },
    },
  );
  await expect(run).rejects.toThrow('over');
  return { said, used };
}

describe('scripted engine', () => {
  it('greets by its prompt on outbound, waits on inbound, and says its first message on both (D3.3)', async () => {
    expect((await converse([])).said).toEqual([expect.stringContaining('I am the assistant of Acme.')]);
    expect((await converse([], { direction: 'inbound' })).said).toEqual([]);
    expect((await converse([], { direction: 'inbound', firstMessage: 'Welcome!' })).said).toEqual([
      'Welcome!',
    ]);
  });

  it('answers the same words with the same words', async () => {
    const lines = ['Hi, who is this?', 'My name is Ada Novak.', 'No, not now.', 'Bye'];
    expect(await converse(lines)).toEqual(await converse(lines));
  });

  it('uses a tool that is named or meant, with arguments, and tells what it said', async () => {
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

  it('uses each of its tools in turn when asked to, and those that end the call last', async () => {
    const tools = [tool('end_call', { is_native: true }), tool('weather'), tool('crm')];
    const { used, said } = await converse(
      ['Please use the first of your tools.', ...Array(3).fill('Now use the next of your tools, please.')],
      { tools },
    );
    expect(used.map(({ name }) => name)).toEqual(['weather', 'crm', 'end_call']);
    expect(said.at(-1)).toContain('no more tools');
  });

  it('goes on where another worker left off', async () => {
    const history = [
      { role: 'agent' as const, content: 'Hello!' },
      { role: 'user' as const, content: 'My name is Ada.' },
    ];
    expect((await converse([], { history })).said).toEqual([expect.stringContaining('Ada')]);
    expect((await converse([], { history: history.slice(0, 1) })).said).toEqual([]);
  });
});

describe('makeArguments', () => {
  it('fills every kind of parameter', () => {
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
    expect(makeArguments(parameters, 'Yes, 12 for 3.5', { email: 'a@b.c', ok: 'yes' })).toEqual({
      note: 'Yes, 12 for 3.5',
      size: 's',
      count: 10,
      price: 3.5,
      ok: true,
      list: ['Yes, 12 for 3.5'],
      deep: { n: 1 },
      email: 'a@b.c',
    });
    expect(makeArguments(null, 'x', {})).toEqual({});
  });
});
