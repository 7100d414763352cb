import type { ServerResponse } from 'node:http';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { AnyEndpoint } from '@parley/contracts';
import { type ZodType, z } from 'zod';
import type { StreamedList } from './handler.ts';
import { sendJson, validated } from './send-response.ts';

/*
 * Large responses are async iterables. Each item is validated by the contract and written when it arrives, and the next one is read when
 * the client has received the last. An error before WHOLE_CHARACTERS is an ordinary error response; a later one closes the connection,
 * so that a part is never taken for the whole.
 */

/** Responses up to this length are sent at once, with their length. */
const WHOLE_CHARACTERS = 64 * 1024;

/** Whether a handler's result is streamed: it, or its `items`, is an async iterable. */
export function isStreamed({ envelope }: Pick<AnyEndpoint, 'envelope'>, value: unknown): boolean {
  if (envelope === 'list') return isIterable((value as StreamedList<unknown>).items);
  return envelope === 'data' && isIterable(value);
}

/** The text of a streamed response with its envelope, in pieces of about `WHOLE_CHARACTERS`: a write for each comma would cost more than the items. */
export async function* renderStream(endpoint: AnyEndpoint, value: unknown): AsyncGenerator<string> {
  let text = '';
  for await (const piece of tokensOf(endpoint, value)) {
    text += piece;
    if (text.length < WHOLE_CHARACTERS) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

async function* tokensOf(endpoint: AnyEndpoint, value: unknown): AsyncGenerator<string> {
  const { envelope, response = z.never(), id } = endpoint;
  yield '{"success":true,"data":';
  if (envelope !== 'list') {
    yield* piecesOf(response, value, id);
    yield '}';
    return;
  }
  const { items, total, nextCursor } = value as StreamedList<unknown>;
  let count = 0;
  const counted = async function* (): AsyncGenerator<unknown> {
    for await (const item of items) {
      count += 1;
      yield item;
    }
  };
  yield* piecesOf(z.array(response), counted(), id);
  yield `,"pagination":${JSON.stringify({ total, count, next_cursor: nextCursor })}}`;
}

/** A value of the schema as JSON; a list in it, or in one of its fields, may be an async iterable. */
async function* piecesOf(schema: ZodType, value: unknown, id: string): AsyncGenerator<string> {
  if (schema instanceof z.ZodArray && isIterable(value)) {
    let before = '[';
    for await (const item of value) {
      yield before;
      yield* piecesOf(schema.element as ZodType, item, id);
      before = ',';
    }
    yield before === '[' ? '[]' : ']';
    return;
  }
  if (schema instanceof z.ZodObject && hasStreamedField(value)) {
    let before = '{';
    for (const [name, field] of Object.entries<ZodType>(schema.shape)) {
      // An omitted field has no text.
      if (value[name] === undefined && validated(field, undefined, id) === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* piecesOf(field, value[name], id);
      before = ',';
    }
    yield '}';
    return;
  }
  yield JSON.stringify(validated(schema, value, id));
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function hasStreamedField(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.values(value).some(isIterable);
}

/** Sends the pieces as fast as the client receives them; stops reading items when the client closes the connection. */
export async function sendStream(
  res: ServerResponse,
  status: number,
  pieces: AsyncGenerator<string>,
): Promise<void> {
  try {
    let text = '';
    while (text.length <= WHOLE_CHARACTERS) {
      const { done, value } = await pieces.next();
      if (done) return sendJson(res, status, text);
      text += value;
    }
    res.setHeader('content-type', 'application/json; charset=utf-8');
    res.writeHead(status);
    await writeAndDrain(res, text);
    await nextTick();
    // The response to HEAD has no body.
    if (res.req.method !== 'HEAD') {
      for await (const piece of pieces) {
        if (res.destroyed) return;
        await writeAndDrain(res, piece);
        // A client that receives everything at once would occupy the process until the end.
        await nextTick();
      }
    }
    res.end();
  } finally {
    await pieces.return(undefined);
  }
}

/** Writes, and waits until the client has received it or closed the connection. */
function writeAndDrain(res: ServerResponse, text: string): Promise<void> {
  if (res.destroyed || res.write(text)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.once('drain', done).once('close', done);
  });
}
