import { validationFailed } from '../errors/index.ts';

/** The limits of a JSON body [trust.2]. */
export const MAX_VALUES = 50_000;
export const MAX_LEVELS = 64;

/** The path in an error names the first levels only. */
const NAMED_LEVELS = 3;
const NAMED_CHARACTERS = 100;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OBJECT, OBJECT_END, ARRAY, ARRAY_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const SPACE = 0x20;

/**
 * Throws 422 for JSON that is nested deeper than `MAX_LEVELS` or has more than `MAX_VALUES` values. One pass over the bytes bounds the
 * cost of parsing, validating and storing them beforehand. It does not check the syntax.
 */
export function checkJsonShape(bytes: Uint8Array): void {
  let level = 0;
  let values = 1;
  /** Directly after an opening bracket: anything but the closing one is a value. */
  let opened = false;
  let stringFrom = 0;
  let stringTo = 0;
  /** Per named level the last string, which is the key of a nested value in an object. */
  const named: Named[] = [];

  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte <= SPACE) continue;
    if (opened && byte !== OBJECT_END && byte !== ARRAY_END) values += 1;
    opened = false;
    if (byte === QUOTE) {
      stringFrom = at;
      at = endOfString(bytes, at);
      stringTo = at + 1;
    } else if (byte === COMMA) {
      values += 1;
      const around = named[level - 1];
      if (around) around.commas += 1;
    } else if (byte === OBJECT || byte === ARRAY) {
      const around = named[level - 1];
      if (around) [around.keyFrom, around.keyTo] = [stringFrom, stringTo];
      level += 1;
      if (level > MAX_LEVELS) throw tooDeep(bytes, named);
      if (level <= NAMED_LEVELS)
        named[level - 1] = { isArray: byte === ARRAY, commas: 0, keyFrom: 0, keyTo: 0 };
      opened = true;
    } else if (byte === OBJECT_END || byte === ARRAY_END) {
      level -= 1;
      if (level < NAMED_LEVELS) named.length = Math.max(0, level);
    }
    if (values > MAX_VALUES) throw tooMany();
  }
}

type Named = { isArray: boolean; commas: number; keyFrom: number; keyTo: number };

/** The position of the closing quote of the string at `at`, or the end of the bytes. */
function endOfString(bytes: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end;
}

function tooDeep(bytes: Uint8Array, named: readonly Named[]): Error {
  const path = named.map((level) => keyOf(bytes, level)).join('.');
  const message = `${path} is nested deeper than ${MAX_LEVELS} levels`;
  return validationFailed([{ path, code: 'too_big', message }]);
}

function keyOf(bytes: Uint8Array, { isArray, commas, keyFrom, keyTo }: Named): string {
  if (isArray) return String(commas);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + keyFrom, keyTo - keyFrom).toString('utf8');
  try {
    return String(JSON.parse(text)).slice(0, NAMED_CHARACTERS);
  } catch {
    return text.slice(0, NAMED_CHARACTERS);
  }
}

function tooMany(): Error {
  const message = `The body must not hold more than ${MAX_VALUES.toLocaleString('en')} values`;
  return validationFailed([{ path: '', code: 'too_big', message }]);
}
