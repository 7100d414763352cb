import { describe, expect, it } from '@jest/globals';
import { type LiveLine, readTurn } from './read-turn.ts';

const started = {
  type: 'tool_started',
  tool_call_id: 't',
  tool_name: 'find_slot',
  arguments: { day: 'Friday ☎' },
};
const entry = { type: 'entry', entry: { role: 'agent', content: 'Yes.', latency_ms: 1, duration_ms: 2 } };
const turn = { type: 'turn', turn: { test_id: 'x', entries: [entry.entry], ended_by: null } };

/** A response whose bytes arrive in pieces of this size. */
function responseOf(lines: readonly object[], size = 7): Response {
  const bytes = new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
      controller.close();
    },
  });
  return new Response(body, { headers: { 'x-request-id': 'r1' } });
}

describe('a streamed test turn [dashboard.63]', () => {
  it('is read line by line, however its bytes arrive, without lines that are not known', async () => {
    const seen: LiveLine[] = [];
    const lines = [started, { type: 'of a later version' }, entry, turn];
    expect(await readTurn(responseOf(lines), (line) => seen.push(line))).toEqual(turn.turn);
    expect(seen).toEqual([started, entry]);
  });

  it('rejects with the error that ended it, and when it breaks off', async () => {
    const error = { type: 'error', error: { code: 'SERVICE_UNAVAILABLE', message: 'The model is gone' } };
    await expect(readTurn(responseOf([entry, error]), () => {})).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'The model is gone',
      requestId: 'r1',
    });
    await expect(readTurn(responseOf([entry]), () => {})).rejects.toMatchObject({ code: 'NO_CONNECTION' });
  });
});
