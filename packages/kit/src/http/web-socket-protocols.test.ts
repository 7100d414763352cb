import { describe, expect, it } from '@jest/globals';
import { webSocketProtocols } from './web-socket-protocols.ts';

const read = (list?: string) =>
  webSocketProtocols({ headers: list === undefined ? {} : { 'sec-websocket-protocol': list } });

describe('the protocols of a WebSocket [web-calls.8]', () => {
  it('are separated by commas and blanks', () => {
    expect(read('parley.audio, token ,\tparticipant')).toEqual(['parley.audio', 'token', 'participant']);
    expect(read()).toEqual(['']);
  });

  it('are refused at once if they are long', () => {
    const started = performance.now();
    for (let i = 0; i < 50; i += 1) expect(read(`a${' '.repeat(15_000)}b`)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
