import { describe, expect, it } from '@jest/globals';
import type { EngineInput } from '../engine.ts';
import { createDialogue } from './dialogue.ts';

const dialogue = (history: EngineInput['history']) =>
  createDialogue({ systemPrompt: 'Be kind.', language: 'en-US', history } as EngineInput);

describe('dialogue', () => {
  it('represents calls that another worker started like its own', () => {
    const messages = dialogue([
      { role: 'agent', content: 'Hello' },
      { role: 'user', content: 'What time is it?' },
      { role: 'tool', toolName: 'clock', args: { zone: 'UTC' }, result: { hour: 9 }, error: null },
      { role: 'tool', toolName: 'radio', args: null, result: null, error: 'No signal' },
    ]).messages();
    expect(messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'What time is it?' },
      expect.objectContaining({
        role: 'assistant',
        tool_calls: [
          { id: 'call_before_2', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } },
        ],
      }),
      { role: 'tool', tool_call_id: 'call_before_2', content: '{"hour":9}' },
      expect.objectContaining({
        role: 'assistant',
        tool_calls: [expect.objectContaining({ id: 'call_before_3' })],
      }),
      { role: 'tool', tool_call_id: 'call_before_3', content: '{"error":"No signal"}' },
    ]);
  });

  it('omits the oldest exchanges of a long call, as a whole', () => {
    const long = dialogue([{ role: 'agent', content: 'Hello' }]);
    for (let i = 0; i < 20; i += 1) {
      long.heard(`Question ${i}`);
      const call = { id: `t${i}`, name: 'lookup', args: '{}' };
      long.answered('', [call]);
      long.used(call, { result: 'x'.repeat(15_000), error: null });
    }
    const messages = long.messages();
    expect(messages[0]?.role).toBe('system');
    expect(messages[1]?.role).toBe('user');
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(6);
    expect(messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 't19' });
  });

  it('keeps the last exchange, however long', () => {
    const long = dialogue([]);
    long.heard('x'.repeat(200_000));
    expect(long.messages()).toHaveLength(2);
  });
});
