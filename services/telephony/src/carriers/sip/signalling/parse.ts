import {
  IncomingRequestMessage,
  type IncomingResponseMessage,
  type Logger,
  LoggerFactory,
  Parser,
} from 'sip.js/lib/core/index.js';

/** Larger messages are dropped. */
const MAX_HEADERS = 128;
const MAX_LINE_CHARACTERS = 8_192;
const MAX_CALL_ID_CHARACTERS = 255;

/** The library logs each message: it must not reach our log. */
export const silentLoggers = new LoggerFactory();
silentLoggers.builtinEnabled = false;
const logger: Logger = silentLoggers.getLogger('sip.parser');

export type ParsedMessage = IncomingRequestMessage | IncomingResponseMessage;

/** Undefined: the text is not a SIP message that can be answered or matched. Never throws. */
export function parseMessage(text: string): ParsedMessage | undefined {
  if (!isPlausible(text)) return undefined;
  try {
    const message = Parser.parseMessage(text, logger);
    if (!message?.callId || message.callId.length > MAX_CALL_ID_CHARACTERS) return undefined;
    const { from, fromTag, to, via, viaBranch, cseq, method } = message;
    // In malformed messages some of them are undefined, against their types.
    if (!from || !fromTag || !to || !via || !viaBranch || !cseq || !method) return undefined;
    if (message instanceof IncomingRequestMessage && !message.ruri) return undefined;
    if (message instanceof IncomingRequestMessage && !hasMatchingMethod(message)) return undefined;
    return message;
  } catch {
    return undefined;
  }
}

function isPlausible(text: string): boolean {
  const headerEnd = text.indexOf('\r\n\r\n');
  if (headerEnd === -1) return false;
  const lines = text.slice(0, headerEnd).split('\r\n');
  return lines.length <= MAX_HEADERS && lines.every((line) => line.length <= MAX_LINE_CHARACTERS);
}

/** The method of CSeq must be that of the request (RFC 3261, 8.1.1.5). */
function hasMatchingMethod(message: IncomingRequestMessage): boolean {
  const [, method] = (message.getHeader('cseq') ?? '').trim().split(/\s+/);
  return method === message.method;
}
