import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createMemoryNetwork } from '../rtp/memory-network.ts';
import { parseRtp, serializeRtp } from '../rtp/packet.ts';
import type { PacketTransport } from '../rtp/transport.ts';
import { createManualClock } from '../testing/index.ts';
import { createSrtpSession, SRTP_KEY_BYTES } from './srtp-session.ts';

const TO = { address: 'memory', port: 4_002 };
const PACKETS_PER_ROLLOVER = 65_536;

/** A far end that sends packets on and on, and the sequence numbers that we read. */
function pair() {
  const keys = [randomBytes(SRTP_KEY_BYTES), randomBytes(SRTP_KEY_BYTES)] as const;
  const { ends } = createMemoryNetwork({ clock: createManualClock(), random: () => 0.5 });
  const far = createSrtpSession({ local: keys[0], remote: keys[1] }).protect(ends[0]);
  let read: number[] = [];
  let sent = 0;
  const hear = (transport: PacketTransport): void =>
    transport.onPacket((bytes) => void read.push(parseRtp(bytes)?.sequence ?? -1));
  return {
    open: (maxRollovers?: number) =>
      createSrtpSession(
        { local: keys[1], remote: keys[0] },
        maxRollovers === undefined ? {} : { maxRollovers },
      ),
    /** Our next transport, in place of the one before. */
    listen: (session: ReturnType<typeof createSrtpSession>) => hear(session.protect(ends[1])),
    /** Those that are not read only move the count of the far end on. */
    send(packets: number, options: { ssrc?: number; isHeard?: boolean } = {}): number[] {
      const { ssrc = 1, isHeard = true } = options;
      read = [];
      if (!isHeard) ends[1].onPacket(() => {});
      for (let n = 0; n < packets; n += 1, sent += 1) {
        const packet = { payloadType: 0, sequence: sent % 65_536, timestamp: sent, ssrc, marker: false };
        far.send(serializeRtp({ ...packet, payload: new Uint8Array(8) }), 'rtp', TO);
      }
      return read;
    },
  };
}

describe('encrypted packets', () => {
  it('are read on after their transport has been replaced, also after a rollover', () => {
    const { open, listen, send } = pair();
    const session = open();
    listen(session);
    expect(send(PACKETS_PER_ROLLOVER + 10)).toHaveLength(PACKETS_PER_ROLLOVER + 10);
    listen(session);
    expect(send(5)).toEqual([10, 11, 12, 13, 14]);
  });

  it('of a stream that began long ago are read from the first one', () => {
    const { open, listen, send } = pair();
    send(2 * PACKETS_PER_ROLLOVER + 65_530, { isHeard: false });
    listen(open(3));
    expect(send(10)).toEqual([65_530, 65_531, 65_532, 65_533, 65_534, 65_535, 0, 1, 2, 3]);
    // Another stream begins at its beginning.
    expect(send(2, { ssrc: 2 })).toEqual([4, 5]);
  });

  it('are not read if more rollovers have happened than may have', () => {
    const { open, listen, send } = pair();
    send(2 * PACKETS_PER_ROLLOVER + 1, { isHeard: false });
    listen(open(1));
    expect(send(3)).toEqual([]);
  });

  it('need keys of the right length', () => {
    const keys = { local: randomBytes(SRTP_KEY_BYTES), remote: randomBytes(16) };
    expect(() => createSrtpSession(keys)).toThrow(RangeError);
  });
});
