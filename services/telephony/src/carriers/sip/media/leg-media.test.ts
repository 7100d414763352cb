import { afterEach, describe, expect, it } from '@jest/globals';
import { createTicker, type UdpTransport } from '@parley/media';
import { mediaClock } from '../../../speech/media-clock.ts';
import { createLegMedia, type LegMedia } from './leg-media.ts';

const FAR = { address: '192.0.2.1', port: 4_000 };
const EVENT_TYPE = 101;
const OFFER = [
  ...['v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0'],
  ...['m=audio 4000 RTP/AVP 0 101', 'a=rtpmap:101 telephone-event/8000', ''],
].join('\r\n');

let media: LegMedia;
afterEach(() => media.close());

/** The audio of an answered leg, and a far end that presses keys with it. */
async function answered() {
  let deliver: Parameters<UdpTransport['onPacket']>[0] = () => {};
  const transport: UdpTransport = {
    port: 40_000,
    send: () => {},
    onPacket: (listener) => {
      deliver = listener;
    },
    close: () => {},
  };
  const ticker = createTicker(mediaClock, (err) => {
    throw err;
  });
  media = createLegMedia({
    ...{ transport, ticker, address: '127.0.0.1', codecs: ['PCMU'], isSecure: false, peers: [] },
    isAllowedAddress: () => true,
  });
  expect(await media.answer(OFFER)).toBeDefined();
  const pressed: string[] = [];
  media.session()?.onDigit((digit) => void pressed.push(digit));
  let sequence = 0;
  const send = (type: number, ssrc: number, payload: Uint8Array): void => {
    sequence += 1;
    const header = Buffer.alloc(12);
    header.writeUInt16BE(0x80_00 + type, 0);
    header.writeUInt16BE(sequence, 2);
    header.writeUInt32BE(sequence * 8_000, 4);
    header.writeUInt32BE(ssrc, 8);
    deliver(Buffer.concat([header, payload]), 'rtp', FAR);
  };
  return {
    press: (key: number, ssrc: number) => send(EVENT_TYPE, ssrc, Uint8Array.of(key, 0x80 | 10, 0, 160)),
    speak: (ssrc: number) => send(0, ssrc, new Uint8Array(160).fill(0xff)),
    keys: () => pressed.join(''),
  };
}

/** The stream before has to have stopped. */
const streamEnds = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 80));

describe('keys after packets of another sender [sip.9]', () => {
  it('may come by INFO, although the sender before pressed them with the audio', async () => {
    const { press, speak, keys } = await answered();
    press(4, 1);
    expect([keys(), media.countsInfoKey()]).toEqual(['4', false]);
    await streamEnds();
    speak(1);
    expect(media.countsInfoKey()).toBe(false);
    await streamEnds();
    speak(2);
    expect(media.countsInfoKey()).toBe(true);
    press(2, 2);
    expect(keys()).toBe('4');
  });

  it('may come with the audio, although the sender before reported them by INFO', async () => {
    const { press, keys } = await answered();
    expect(media.countsInfoKey()).toBe(true);
    press(4, 1);
    expect(keys()).toBe('');
    await streamEnds();
    press(2, 2);
    expect([keys(), media.countsInfoKey()]).toEqual(['2', false]);
  });
});
