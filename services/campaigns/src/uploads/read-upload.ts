import { type ContactInput, contactInput } from '@parley/contracts';
import { AppError, parseInput } from '@parley/kit/errors';
import { checkJson, checkJsonShape } from '@parley/kit/http';
import { createScanner, type Piece, STREAMED } from './scan-upload.ts';
import { malformed } from './upload-errors.ts';

/** A run takes a few milliseconds, during which other requests wait. */
const RUN_BYTES = 16 * 1024;

/** All fields of the body as sent. An array of contacts is represented by an array of at most one null. */
export type UploadFields = Record<string, unknown>;

/**
 * Yields the contacts of a body as they arrive, in runs, checked by the contract; returns all other fields. Holds at most
 * one run. Throws `VALIDATION_FAILED` that names the contact by its index [campaigns.2], and whatever the body throws.
 */
export async function* readUpload(body: AsyncIterable<Buffer>): AsyncGenerator<ContactInput[], UploadFields> {
  const scanner = createScanner();
  let read = 0;
  for await (const chunk of chunksOf(body)) {
    for (let at = 0; at < chunk.length; at += RUN_BYTES) {
      for (const piece of scanner.write(chunk.subarray(at, at + RUN_BYTES))) {
        yield readContacts(piece, read);
        read += piece.count;
      }
    }
  }
  const fields = scanner.end();
  if (fields.get('contacts') === STREAMED) fields.set('contacts', Array(Math.min(read, 1)).fill(null));
  // fromEntries defines `__proto__` as a key like any other.
  const object = Object.fromEntries(fields);
  const text = JSON.stringify(object);
  checkJsonShape(Buffer.from(text));
  checkJson(object, text);
  return object;
}

/** An interrupted body is the client's error, whatever the stream reports: a lost connection here is not an outage of ours. */
async function* chunksOf(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body;
  } catch (cause) {
    throw cause instanceof AppError ? cause : malformed('could not be read to its end', cause);
  }
}

function readContacts({ text, count }: Piece, first: number): ContactInput[] {
  const values = parseArray(text);
  if (values.length !== count) throw malformed();
  const mayBeUnstorable = UNSTORABLE.test(text);
  return values.map((value, index) => {
    const result = contactInput.safeParse(value);
    if (!result.success) return parseInput(contactInput, value, `contacts.${first + index}`);
    if (mayBeUnstorable) checkJson({ contacts: { [first + index]: result.data } }, text);
    return result.data;
  });
}

/** How JSON spells what Postgres can't store as text; most runs contain none. */
const UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F])/;

function parseArray(text: string): unknown[] {
  try {
    return JSON.parse(`[${text}]`) as unknown[];
  } catch (cause) {
    throw malformed(undefined, cause);
  }
}
