import {
  IncomingRequestMessage,
  type IncomingResponseMessage,
  type Logger,
  LoggerFactory,
  Parser,
} from 'sip.js/lib/core/index.js';
import { SOURCE_HEADER } from './edge.ts';
import { MAX_HEADER_BYTES } from './framing.ts';

/** Larger messages are dropped. */
const MAX_HEADERS = 128;
const MAX_LINE_CHARACTERS = 8_192;
/** The library takes up to half a millisecond for each. */
const MAX_ENTRIES = 64;
const LISTS = new Set(['via', 'contact', 'route', 'record-route', 'www-authenticate', 'proxy-authenticate']);
const MAX_CALL_ID_CHARACTERS = 255;
/** The edge ends a header part at lone line feeds, where the library reads on: a stranger could hide headers from the edge in between. */
const LONE_LINE_END = /\r(?!\n)|(?<!\r)\n/;
/** The library folds lines that begin with any white space. */
const BETWEEN_HEADERS = /\r\n(?!\s)/;
/** Other names than tokens could be those of other headers for the library, but not for the edge. */
const NAME = /^([\w!#$%&'*+.^`~-]+)[ \t]*:/;
/** The library and the edge take different ones of several. */
const ONCE = new Set([
  ...['to', 'from', 'call-id', 'cseq', 'content-length', 'content-type', 'max-forwards', 'refer-to'],
  SOURCE_HEADER.toLowerCase(),
]);
const LONG_NAMES: Readonly<Record<string, string>> = {
  ...{ t: 'to', f: 'from', i: 'call-id', l: 'content-length', c: 'content-type', r: 'refer-to' },
  ...{ v: 'via', m: 'contact' },
};

/** The library logs each message: it must not reach our log. */
export const silentLoggers = new LoggerFactory();
silentLoggers.builtinEnabled = false;
const logger: Logger = silentLoggers.getLogger('sip.parser');

export type ParsedMessage = IncomingRequestMessage | IncomingResponseMessage;

/** What is wrong with a message that can't be answered or matched. */
export type Flaw =
  /** More bytes, lines or entries than are parsed. */
  | 'too_large'
  /** A lone CR or LF in its headers. */
  | 'line_end'
  /** A line that is no header. */
  | 'not_a_header'
  /** Several of a header that there is one of. */
  | 'repeated_header'
  /** Not SIP, or without a header that each message has. */
  | 'unreadable';

/** The message, or why it is ignored. Never throws. */
export function parseMessage(text: string): ParsedMessage | Flaw {
  const flaw = flawOf(text);
  if (flaw) return flaw;
  try {
    const message = Parser.parseMessage(text, logger);
    return message && isComplete(message) ? message : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

function isComplete(message: ParsedMessage): boolean {
  if (!message.callId || message.callId.length > MAX_CALL_ID_CHARACTERS) return false;
  const { from, fromTag, to, via, viaBranch, cseq, method } = message;
  // In malformed messages some of them are undefined, against their types.
  if (!from || !fromTag || !to || !via || !viaBranch || !cseq || !method) return false;
  if (!(message instanceof IncomingRequestMessage)) return true;
  return Boolean(message.ruri) && hasMatchingMethod(message);
}

/** Why others could read other headers in it, or the library would take too long to read them. */
function flawOf(text: string): Flaw | undefined {
  const headerEnd = text.indexOf('\r\n\r\n');
  if (headerEnd === -1) return 'unreadable';
  if (headerEnd > MAX_HEADER_BYTES) return 'too_large';
  const header = text.slice(0, headerEnd);
  if (LONE_LINE_END.test(header)) return 'line_end';
  const lines = header.split('\r\n');
  if (lines.length > MAX_HEADERS || lines.some((line) => line.length > MAX_LINE_CHARACTERS))
    return 'too_large';
  const [first = '', ...headers] = header.split(BETWEEN_HEADERS);
  return first.includes('\r\n') ? 'not_a_header' : flawOfHeaders(headers);
}

function flawOfHeaders(headers: readonly string[]): Flaw | undefined {
  const seen = new Set<string>();
  let entries = 0;
  for (const header of headers) {
    const name = nameOf(header);
    if (name === undefined) return 'not_a_header';
    if (seen.has(name)) return 'repeated_header';
    if (ONCE.has(name)) seen.add(name);
    if (LISTS.has(name)) entries += header.split(',').length;
  }
  return entries > MAX_ENTRIES ? 'too_large' : undefined;
}

/** As the library compares names, without its compact forms. */
function nameOf(header: string): string | undefined {
  const name = NAME.exec(header)?.[1]?.toLowerCase().replaceAll('_', '-');
  return name === undefined ? undefined : (LONG_NAMES[name] ?? name);
}

/** The method of CSeq must be that of the request (RFC 3261, 8.1.1.5). */
function hasMatchingMethod(message: IncomingRequestMessage): boolean {
  const [, method] = (message.getHeader('cseq') ?? '').trim().split(/\s+/);
  return method === message.method;
}
