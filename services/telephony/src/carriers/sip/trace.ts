import type { SipTransport } from './trunk.ts';

/** A SIP message as it was sent or received, with its secrets masked. */
export type TracedMessage = {
  /** Null: it belongs to no call, such as OPTIONS and refused requests. */
  callId: string | null;
  at: Date;
  direction: 'sent' | 'received';
  transport: SipTransport;
  /** `address:port` of our end and of the far end of the connection. */
  local: string;
  remote: string;
  /** The whole message, cut after `MAX_TRACED_CHARACTERS`. */
  message: string;
};

/** Takes messages in the order in which they were sent and received. Must neither throw nor wait. */
export type TraceSink = (message: TracedMessage) => void;

const MAX_TRACED_CHARACTERS = 8_192;
const MASK = '********';
const SECRET_HEADERS =
  /^((?:proxy-)?(?:authorization|authenticate)|www-authenticate)[ \t]*:.*(?:\r?\n[^\S\r\n].*)*/gim;
const SECRET_PARAMETERS = /\b(response|cnonce|nonce|opaque)[ \t]*=[ \t]*("[^"]*"|[^,;\s]+)/gi;
/** Keys of encrypted media (RFC 4568). */
const MEDIA_KEYS = /(inline:)[A-Za-z0-9+/=]+/g;
/** Passwords in URIs, in what stands before `@`: two steps, since one expression would take quadratic time. */
const BEFORE_AT = /(?<![^\s@<>])[^\s@<>]+(?=@)/g;
const URI_PASSWORD = /(sips?:[^:;]+:).+/is;
/** Pressed keys may be card numbers: the whole body of an INFO with keys, and `Signal` lines elsewhere. */
const KEYS_BODY =
  /^(INFO [\s\S]*?\r?\n(?:content-type|c)[ \t]*:\s*application\/dtmf[\s\S]*?\r?\n\r?\n)[\s\S]+/i;
const KEYS = /^(signal[ \t]*=[ \t]*).*$/gim;

/** Masks what would let a reader make calls with the trunk's credentials or decrypt audio, and pressed keys. */
export function maskMessage(message: string): string {
  const masked = message
    .slice(0, MAX_TRACED_CHARACTERS)
    .replace(SECRET_HEADERS, (header) => header.replace(SECRET_PARAMETERS, `$1="${MASK}"`))
    .replace(MEDIA_KEYS, `$1${MASK}`)
    .replace(BEFORE_AT, (part) => part.replace(URI_PASSWORD, `$1${MASK}`))
    .replace(KEYS_BODY, `$1${MASK}`)
    .replace(KEYS, `$1${MASK}`);
  return message.length > MAX_TRACED_CHARACTERS ? `${masked}\r\n[cut]` : masked;
}
