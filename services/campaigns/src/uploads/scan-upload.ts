import { isUtf8 } from 'node:buffer';
import { checkJsonShape, MAX_LEVELS } from '@parley/kit/http';
import { invalidBody, malformed, notAnObject, tooDeep } from './upload-errors.ts';

/*
 * Splits a JSON object whose `contacts` may be larger than memory: finds where keys and values begin and end, and the
 * commas between contacts. It counts brackets and skips strings, nothing more; every piece is read by JSON.parse, natively
 * and in runs of hundreds of contacts, so that a real parser checks each byte. Keys may come in any order.
 */

/** Contacts as JSON text without the brackets of the array, and their number. */
export type Piece = { text: string; count: number };

export type Scanner = {
  /** Takes the next bytes; returns the contacts that are complete. */
  write(chunk: Buffer): Piece[];
  /** At the end of the body: all other fields. `contacts` is `STREAMED` if it was an array. */
  end(): Map<string, unknown>;
};

/** Represents an array of contacts that was streamed. */
export const STREAMED = Symbol('contacts');

/** Maximum size of one contact as text: a page of the list may have a thousand. */
const CONTACT_BYTES = 32 * 1024;
/** Maximum size of all other fields, which stay in memory until the body ends. */
const FIELDS_BYTES = 1024 * 1024;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const BLANK = /^[\t\n\r ]*$/;

export function createScanner(): Scanner {
  const fields = new Map<string, unknown>();
  /** The bytes since the last split, of earlier chunks. */
  let carry: Buffer[] = [];
  let carried = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  /** Inside the array `contacts`. */
  let streaming = false;
  /** The value of the current key was streamed completely. */
  let streamed = false;
  let key: string | undefined;
  /** The bytes of complete fields. */
  let fieldBytes = 0;
  let afterComma = false;
  let ended = false;
  /** Commas between contacts: all, and those of the current piece. */
  let contacts = 0;
  let inPiece = 0;

  const take = (bytes: Buffer): string => {
    const whole = carry.length > 0 ? Buffer.concat([...carry, bytes]) : bytes;
    carry = [];
    carried = 0;
    if (!isUtf8(whole)) throw malformed('is not valid UTF-8');
    return whole.toString('utf8');
  };

  /** The last of repeated fields wins, as with JSON.parse; streamed contacts can't be taken back. */
  const setField = (name: string, value: unknown): void => {
    if (name === 'contacts' && fields.has(name)) throw invalidBody(name, 'not_allowed', 'must be sent once');
    fields.set(name, value);
  };

  /** Including the fields before it. */
  const checkFields = (bytes: number): void => {
    if (fieldBytes + bytes <= FIELDS_BYTES) return;
    const words = `must be at most ${FIELDS_BYTES} bytes of JSON, with the fields before it`;
    throw invalidBody(key ?? '', 'too_big', words);
  };

  const closeKey = (text: string): void => {
    checkFields(text.length);
    fieldBytes += text.length;
    const name = depth === 1 && key === undefined ? parse(text) : undefined;
    if (typeof name !== 'string') throw malformed();
    key = name;
  };

  const closeValue = (text: string): void => {
    if (key === undefined) throw malformed();
    if (streamed && !BLANK.test(text)) throw malformed();
    checkFields(text.length);
    fieldBytes += text.length;
    if (!streamed) setField(key, parse(text));
    key = undefined;
    streamed = false;
  };

  const closeRoot = (text: string, byte: number | undefined): void => {
    if (byte !== OBJECT_END) throw malformed();
    ended = true;
    if (key !== undefined) closeValue(text);
    else if (afterComma || !BLANK.test(text)) throw malformed();
  };

  const openContacts = (text: string): void => {
    if (!BLANK.test(text)) throw malformed();
    setField('contacts', STREAMED);
    streaming = true;
    contacts = 0;
    inPiece = 0;
  };

  /** `bytes` counts from the last comma. */
  const checkSize = (bytes: number): void => {
    if (streaming && bytes > CONTACT_BYTES) {
      throw invalidBody(`contacts.${contacts}`, 'too_big', `must be at most ${CONTACT_BYTES} bytes of JSON`);
    }
    if (!streaming) checkFields(bytes);
  };

  /** The end of a run of contacts: at a comma, or at the end of the array. */
  const cut = (bytes: Buffer, isLast: boolean): Piece[] => {
    const text = take(bytes);
    if (isLast && contacts === 0 && BLANK.test(text)) return [];
    const piece = { text, count: inPiece + (isLast ? 1 : 0) };
    inPiece = 0;
    return [piece];
  };

  const closeContacts = (bytes: Buffer, byte: number | undefined): Piece[] => {
    if (byte !== ARRAY_END) throw malformed();
    const pieces = cut(bytes, true);
    streaming = false;
    streamed = true;
    return pieces;
  };

  const write = (chunk: Buffer): Piece[] => {
    const pieces: Piece[] = [];
    /** Where the rest begins; where the contact or field began (negative: in an earlier chunk). */
    let start = 0;
    let seam = -carried;
    let lastComma = -1;

    const seamAt = (at: number): void => {
      start = at + 1;
      seam = at + 1;
    };

    for (let i = 0; i < chunk.length; i += 1) {
      const byte = chunk[i];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
        continue;
      }
      if (byte === QUOTE) inString = true;
      else if (byte === OBJECT || byte === ARRAY) {
        if (depth === 0) {
          if (ended) throw malformed();
          if (byte !== OBJECT || !BLANK.test(take(chunk.subarray(start, i)))) throw notAnObject();
          seamAt(i);
        } else if (depth === 1 && byte === ARRAY && key === 'contacts' && !streamed) {
          openContacts(take(chunk.subarray(start, i)));
          seamAt(i);
        }
        depth += 1;
        if (depth > MAX_LEVELS) throw tooDeep(streaming ? `contacts.${contacts}` : (key ?? ''), MAX_LEVELS);
      } else if (byte === OBJECT_END || byte === ARRAY_END) {
        depth -= 1;
        if (depth < 0) throw malformed();
        if (depth === 0) {
          closeRoot(take(chunk.subarray(start, i)), byte);
          seamAt(i);
        } else if (depth === 1 && streaming) {
          checkSize(i - seam);
          pieces.push(...closeContacts(chunk.subarray(start, i), byte));
          lastComma = -1;
          seamAt(i);
        }
      } else if (byte === COMMA) {
        if (depth === 1) {
          closeValue(take(chunk.subarray(start, i)));
          afterComma = true;
          seamAt(i);
        } else if (depth === 2 && streaming) {
          checkSize(i - seam);
          contacts += 1;
          inPiece += 1;
          lastComma = i;
          seam = i + 1;
        }
      } else if (byte === COLON && depth === 1) {
        closeKey(take(chunk.subarray(start, i)));
        afterComma = false;
        seamAt(i);
      }
    }
    if (streaming && lastComma >= 0) {
      pieces.push(...cut(chunk.subarray(start, lastComma), false));
      start = lastComma + 1;
    }
    if (start < chunk.length) {
      carry.push(chunk.subarray(start));
      carried += chunk.length - start;
      checkSize(carried);
    }
    return pieces;
  };

  const end = (): Map<string, unknown> => {
    const rest = take(Buffer.alloc(0));
    if (!ended && rest !== '') throw depth === 0 ? notAnObject() : malformed();
    if (depth > 0 || !BLANK.test(rest)) throw malformed();
    return fields;
  };

  return { write, end };
}

function parse(text: string): unknown {
  checkJsonShape(Buffer.from(text));
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(undefined, cause);
  }
}
