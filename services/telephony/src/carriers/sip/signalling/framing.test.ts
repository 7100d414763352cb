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

  it('arrive byte by byte, each of which takes no time', () => {
    const { push: pushPiece } = createFraming();
    const lines = 'a:\r\n'.repeat(4_000);
    const text = `INFO sip:a SIP/2.0\r\n${lines}Content-Length: 2000\r\n\r\n${'b'.repeat(2_000)}`;
    pushPiece(Buffer.from(text.slice(0, -2_000)));
    const beganMs = performance.now();
    const messages = [...text.slice(-2_000)].flatMap((byte) => pushPiece(Buffer.from(byte)).messages);
    expect(messages).toEqual([text]);
    expect(performance.now() - beganMs).toBeLessThan(300);
  });

  it('arrive byte by byte with line ends between them', () => {
    const { push: pushPiece } = createFraming();
    const [one, other] = [message('l: 4', '\r\n\r\n'), message('l: 0')];
    const pushed = [...`\r\n\r\n${one}\r\n\r\n${other}`].map((byte) => pushPiece(Buffer.from(byte)));
    expect(pushed.flatMap(({ messages }) => messages)).toEqual([one, other]);
  });

  it('have a header of at most 16 KiB', () => {
    expect(() => push(`INFO sip:a SIP/2.0\r\nX: ${'a'.repeat(17_000)}`)).toThrow('too long');
    expect(() => push(message(`X: ${'a'.repeat(17_000)}\r\nl: 0`))).toThrow('too long');
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
