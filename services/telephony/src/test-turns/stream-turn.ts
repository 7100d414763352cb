import { PassThrough } from 'node:stream';
import { type TestTurnLine, testTurnLine } from '@parley/contracts';
import { type ErrorBody, toHttpError } from '@parley/kit/errors';
import { type TestTurnDeps, type TestTurnInput, takeTestTurn } from './take-turn.ts';

/** The same turn as lines of JSON, each sent when it happens [dashboard.10]. Rejects if the turn fails before its first line. */
export async function streamTestTurn(
  deps: TestTurnDeps,
  input: TestTurnInput,
  closed: AbortSignal,
): Promise<AsyncIterable<string>> {
  const lines = new PassThrough({ objectMode: true });
  let hasBegun = false;
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const onLine = (line: TestTurnLine): void => {
    lines.write(line);
    hasBegun = true;
    begin();
  };
  const ended = takeTestTurn(deps, input, closed, onLine).then(
    (turn) => void lines.end({ type: 'turn', turn }),
    (err: unknown) => {
      // Otherwise it is the response, and logged as such.
      if (hasBegun && !closed.aborted) deps.log.warn({ err }, 'test turn failed');
      lines.end({ type: 'error', error: errorOf(err) });
      throw err;
    },
  );
  await Promise.race([begun, ended]);
  return textOf(lines);
}

async function* textOf(lines: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(testTurnLine.parse(line))}\n`;
}

function errorOf(err: unknown): { code: string; message: string } {
  const { error } = toHttpError(err).body as ErrorBody;
  return { code: error.code, message: error.message };
}
