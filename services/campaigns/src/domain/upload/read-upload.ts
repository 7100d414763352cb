import { type ContactInput, contactInput } from '@parley/contracts';
import { parseInput } from '@parley/kit/errors';
import { checkJson } from '@parley/kit/http';
import { createScanner, type Piece, STREAMED } from './scan-upload.ts';
import { malformed } from './upload-errors.ts';

/** About so much of the body makes a run: some milliseconds of work, for which everybody else waits. */
const RUN_BYTES = 16 * 1024;

/** All fields of the body as they came. For an array of contacts stands one that is empty or not, as that one was. */
export type UploadFields = Record<string, unknown>;

/**
 * The contacts of a body as they arrive, in runs, each checked by the contract; then everything else.
 * Holds no more than one run. Throws `VALIDATION_FAILED` that names the contact by its index (D7.2), and whatever the
 * body throws.
 */
export async function* readUpload(body: AsyncIterable<Buffer>): AsyncGenerator<ContactInput[], UploadFields> {
  const scanner = createScanner();
  let read = 0;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += RUN_BYTES) {
      for (const piece of scanner.write(chunk.subarray(at, at + RUN_BYTES))) {
        yield readContacts(piece, read);
        read += piece.count;
      }
    }
  }
  const fields = scanner.end();
  if (fields.get('contacts') === STREAMED) fields.set('contacts', Array(Math.min(read, 1)).fill(null));
  // fromEntries defines `__proto__` as a key like any other (D1.8).
  const object = Object.fromEntries(fields);
  checkJson(object, JSON.stringify(object));
  return object;
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

/** How JSON must spell what no text of Postgres can hold: most runs hold nothing to look for. */
const UNSTORABLE = /\\u(?:0000|[dD][89a-fA-F])/;

function parseArray(text: string): unknown[] {
  try {
    return JSON.parse(`[${text}]`) as unknown[];
  } catch (cause) {
    throw malformed(undefined, cause);
  }
}
