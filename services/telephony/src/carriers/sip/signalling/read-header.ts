const CRLF = '\r\n';
const CALL_ID = ['call-id', 'i'];
const WHITE_SPACE = /\s/;

/**
 * The value of the first header with one of these names (lower case), read as the parser does: lines may be folded (RFC 3261, 7.3.1), and
 * white space may surround name and value. Undefined: there is none. Takes linear time, since unknown sources write the messages.
 */
export function readHeader(message: string, names: readonly string[]): string | undefined {
  const firstEnd = message.indexOf(CRLF);
  if (firstEnd === -1) return undefined;
  let start = firstEnd + CRLF.length;
  while (start < message.length && !message.startsWith(CRLF, start)) {
    const end = endOfHeader(message, start);
    const header = message.slice(start, end);
    const colon = header.indexOf(':');
    if (colon !== -1 && names.includes(header.slice(0, colon).trim().toLowerCase()))
      return header.slice(colon + 1).trim();
    start = end + CRLF.length;
  }
  return undefined;
}

export const callIdOf = (message: string): string | undefined => readHeader(message, CALL_ID);

function endOfHeader(message: string, start: number): number {
  let end = message.indexOf(CRLF, start);
  while (end !== -1 && continuesAt(message, end + CRLF.length))
    end = message.indexOf(CRLF, end + CRLF.length);
  return end === -1 ? message.length : end;
}

const continuesAt = (message: string, at: number): boolean =>
  WHITE_SPACE.test(message.charAt(at)) && !message.startsWith(CRLF, at);
