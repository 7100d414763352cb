import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createMemoryNetwork, type MemoryEnd, type UdpTransport } from '@parley/media';
import {
  createRandom,
  farEnd,
  type MediaSetup,
  manualTime,
  mediaSessionContract,
} from '@parley/media/testing';
import { mediaClock } from '../../../speech/media-clock.ts';
import type { SipCodec } from '../../carrier-names.ts';
import { createLegMedia } from './leg-media.ts';

// The contract of media sessions over what two legs agree on.

const ADDRESS = '127.0.0.1';
const { clock, ticker, pass } = manualTime();
const random = createRandom(7);

/** Packets in memory that say that they come from loopback. */
const onLoopback = ({ address, send, onPacket, close }: MemoryEnd): UdpTransport => ({
  port: address.port,
  send,
  onPacket: (take) =>
    onPacket((bytes, channel, { port }) => take(bytes, channel, { address: ADDRESS, port })),
  close,
});

async function open(codec: SipCodec, isSecure: boolean): Promise<MediaSetup> {
  const [near, far] = createMemoryNetwork({ clock, random })
    .ends.map(onLoopback)
    .map((transport) =>
      createLegMedia({
        ...{ transport, ticker, isSecure, address: ADDRESS, codecs: [codec], peers: [] },
        isAllowedAddress: () => true,
      }),
    );
  const answer = (await far?.answer(near?.offer() ?? '')) ?? '';
  expect(await near?.accept(answer)).toBe(true);
  const [session, other] = [near?.session(), far?.session()];
  if (!session || !other) throw new Error('the legs have not agreed');
  return {
    session,
    far: farEnd(other),
    pass,
    close: () => {
      near?.close();
      far?.close();
    },
  };
}

describe.each([
  ['PCMU', false],
  ['PCMA', false],
  ['G722', false],
  ['opus', false],
  ['PCMU', true],
] as const)('the audio of a SIP leg with %s, encrypted: %s [sip.9] [sip.10]', (codec, isSecure) => {
  beforeAll(() => void jest.spyOn(mediaClock, 'nowMs').mockImplementation(clock.nowMs));
  afterAll(() => void jest.restoreAllMocks());

  for (const { name, run } of mediaSessionContract) it(name, () => run(() => open(codec, isSecure)));
});
