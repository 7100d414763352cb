import { describe, expect, it } from '@jest/globals';
import { createFraming } from './framing.ts';

const message = (length: string, body = ''): string =>
  `INFO sip:a SIP/2.0\r\nCSeq: 1 INFO\r\n${length}\r\n\r\n${body}`;
const push = (text: string): string[] => createFraming().push(Buffer.from(text)).messages;

describe('messages of a stream [sip.18]', () => {
  it.each([
    'Content-Length: 4',
    'l:4',
    'content-length \t:\t4 ',
    'Content-Length:\r\n 4',
    'Subject: a\r\n Content-Length: 900\r\nContent-Length: 4',
  ])('end as %j says', (length) => {
    const [one, other] = [message(length, 'body'), message('l: 0')];
    expect(push(`${one}${other}`)).toEqual([one, other]);
  });

  it('arrive in pieces', () => {
    const { push: pushPiece } = createFraming();
    const text = message('Content-Length: 4', 'body');
    const pieces = [text.slice(0, 30), text.slice(30, -1), text.slice(-1)];
    expect(pieces.map((piece) => pushPiece(Buffer.from(piece)).messages)).toEqual([[], [], [text]]);
  });

  it.each([
    'Subject: none',
    'Content-Length: -1',
    'Content-Length: 4 5',
    'Content-Length: 0x4',
    'l: 9999999',
  ])('without a length, as %j, cannot be told apart: the connection has to be closed', (header) => {
    expect(() => push(message(header))).toThrow('Content-Length');
  });
});
