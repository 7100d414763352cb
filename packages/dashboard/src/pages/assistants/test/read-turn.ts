import { ParleyError } from '@parley/client/browser';
import type { TestTurn, TestTurnLine } from '@parley/contracts';

/** What happens before the turn is over. */
export type LiveLine = Extract<TestTurnLine, { type: 'tool_started' | 'entry' }>;

/** Reads a streamed turn until it is over, and returns it. Rejects with a ParleyError, or with the reason of an aborted request. */
export async function readTurn(response: Response, onLine: (line: LiveLine) => void): Promise<TestTurn> {
  const requestId = response.headers.get('x-request-id');
  const fields = { status: response.status, ...(requestId === null ? {} : { requestId }) };
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ''; ; ) {
    const read = await reader?.read();
    if (!read || read.done) throw new ParleyError('NO_CONNECTION', 'The turn broke off', fields);
    const lines = (rest + read.value).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const line = JSON.parse(text) as TestTurnLine;
      if (line.type === 'turn') return line.turn;
      if (line.type === 'error') throw new ParleyError(line.error.code, line.error.message, fields);
      if (line.type === 'tool_started' || line.type === 'entry') onLine(line);
    }
  }
}
