import { readHeader } from './read-header.ts';

// SIP over a stream (RFC 3261, 18.3): a message is its header up to the empty line and as many bytes of body as Content-Length says.
// Between messages there may be line ends, which keep the connection open (RFC 5626, 3.5.1).

/** A SIP message of calls is a few kilobytes; more than this is an attack or a broken peer. */
export const MAX_MESSAGE_BYTES = 65_536;
/** Parsing takes up to half a millisecond for each kilobyte of headers, in which no audio is sent. */
export const MAX_HEADER_BYTES = 16_384;
const END_OF_HEADER = Buffer.from('\r\n\r\n');
const CR = 13;
const LF = 10;
const CONTENT_LENGTH = ['content-length', 'l'];
const LENGTH = /^\d{1,6}$/;

/** The bytes are not a stream of SIP messages: the connection has to be closed. */
class FramingError extends Error {}

export type Framing = {
  /** The messages that are complete now, and whether the far end sent a keep-alive ping (RFC 5626). Throws FramingError. */
  push(bytes: Buffer): { messages: string[]; isPing: boolean };
};

export function createFraming(): Framing {
  let buffered: Buffer = Buffer.alloc(0);
  /** What has arrived of a body since it was last joined: joining each piece would copy the message for every byte. */
  let pieces: Buffer[] = [];
  let missing = 0;
  /** What is known of the first message, so that small pieces are not searched again: where its header may end, and its length. */
  let searched = 0;
  let length: number | undefined;

  const skipLineEnds = (): number => {
    let start = 0;
    while (buffered[start] === CR || buffered[start] === LF) start += 1;
    buffered = buffered.subarray(start);
    return start;
  };

  return {
    push(bytes) {
      pieces.push(bytes);
      missing -= bytes.length;
      if (missing > 0) return { messages: [], isPing: false };
      buffered = buffered.length === 0 && pieces.length === 1 ? bytes : Buffer.concat([buffered, ...pieces]);
      pieces = [];
      missing = 0;
      const messages: string[] = [];
      let isPing = false;
      for (;;) {
        // A message that has begun begins with no line ends.
        if (searched === 0 && length === undefined) isPing = skipLineEnds() >= END_OF_HEADER.length || isPing;
        if (length === undefined) {
          const headerEnd = buffered.indexOf(END_OF_HEADER, searched);
          if (headerEnd === -1) {
            if (buffered.length > MAX_HEADER_BYTES) throw new FramingError('the header is too long');
            searched = Math.max(0, buffered.length - END_OF_HEADER.length + 1);
            return { messages, isPing };
          }
          length = messageLength(buffered, headerEnd);
        }
        if (buffered.length < length) {
          missing = length - buffered.length;
          return { messages, isPing };
        }
        messages.push(buffered.subarray(0, length).toString('utf8'));
        buffered = buffered.subarray(length);
        searched = 0;
        length = undefined;
      }
    },
  };
}

function messageLength(bytes: Buffer, headerEnd: number): number {
  if (headerEnd > MAX_HEADER_BYTES) throw new FramingError('the header is too long');
  const header = bytes.toString('latin1', 0, headerEnd + 2);
  const bodyBytes = Number(LENGTH.exec(readHeader(header, CONTENT_LENGTH) ?? '')?.[0] ?? Number.NaN);
  // Without it the end of this message is unknown, and so are all later messages.
  if (Number.isNaN(bodyBytes)) throw new FramingError('Content-Length is missing or malformed');
  const length = headerEnd + END_OF_HEADER.length + bodyBytes;
  if (length > MAX_MESSAGE_BYTES) throw new FramingError('the message is too long');
  return length;
}
