const MIB = 1024 ** 2;
/** Room for the fields around a value. */
const MARGIN = 2_048;
const BYTES = MIB - MARGIN;
const VALUES = 49_900;

const repeat = (text: string, bytes: number = BYTES): string => text.repeat(Math.floor(bytes / text.length));
const list = (item: string, count = Math.min(VALUES, Math.floor(BYTES / (item.length + 1)))): string =>
  `[${Array(count).fill(item).join(',')}]`;
const deep = (levels: number, inside: string): string =>
  `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`;
const keys = (count: number, key: (at: number) => string, value = '0'): string =>
  `{${Array.from({ length: count }, (_, at) => `"${key(at)}":${value}`).join(',')}}`;

/** JSON texts of about a mebibyte that are as expensive as possible to parse, to walk, to validate or to reject. */
export const hostileValues: Readonly<Record<string, string>> = {
  'a long string': `"${repeat('x')}"`,
  'a long string of spaces': `"${repeat(' ')}"`,
  'digits in a string': `"+${repeat('1')}"`,
  'dots and at signs': `"a@${repeat('a.')}"`,
  'a URL of many labels': `"https://${repeat('a.')}"`,
  'a URL of many segments': `"https://a.example/${repeat('../a/')}"`,
  'escapes of four digits': `"${repeat('\\u0041')}"`,
  'short escapes': `"${repeat('\\"')}"`,
  'pairs of surrogates': `"${repeat('\\ud83d\\ude00')}"`,
  'a lone surrogate at the end': `"${repeat('\\u0041')}\\ud800"`,
  'text of three bytes each': `"${repeat('語', BYTES / 3)}"`,
  'one huge key': `{"${repeat('k')}":0}`,
  'keys of a kilobyte': keys(1_000, (at) => `${at}${repeat('k', 1_000)}`),
  'many keys': keys(VALUES, (at) => `key${at}`),
  'many numeric keys': keys(VALUES, (at) => String(at * 7_919)),
  'many keys in descending order': keys(VALUES, (at) => String(9_999_999 - at)),
  'one repeated key': keys(VALUES, () => 'k'),
  'keys with escapes': keys(VALUES, (at) => `\\u006b${at}`),
  'keys of prototypes': keys(VALUES, () => '__proto__', '{}'),
  'many zeros': list('0'),
  'many empty strings': list('""'),
  'many nulls': list('null'),
  'many empty objects': list('{}'),
  'many empty lists': list('[]'),
  'many objects': list('{"a":{"b":{}}}', Math.floor(VALUES / 3)),
  'many identifiers': list('"0197f3b2-5c1e-7d40-9a3b-2f6f1c0d8e1"'),
  'numbers of twenty digits': list('12345678901234567890'),
  'numbers with fractions': list('0.1234567890123456'),
  'one endless number': repeat('9'),
  'an endless fraction': `0.${repeat('3')}`,
  'nested lists with zeros': deep(58, list('0').slice(1, -1)),
  'nested lists with objects and an escape': deep(58, `${list('{}').slice(1, -1)},"\\ud800"`),
  'nested objects': `${'{"a":'.repeat(58)}${list('{}')}${'}'.repeat(58)}`,
  'too many values': list('0', Math.floor(BYTES / 2)),
  'far too deep': repeat('['),
  'far too deep objects': repeat('{"":'),
};
