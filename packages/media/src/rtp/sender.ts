import type { Codec } from '../audio/codec.ts';
import { FRAME_MS } from '../audio/frame.ts';
import { serializeRtp } from './packet.ts';
import { createDtmfPress, DTMF_DIGITS } from './telephone-event.ts';

export type SenderTotals = { packets: number; octets: number; timestamp: number };

/** Creates the packets of one stream. Timestamps follow the ticks' time, so a skipped tick is a gap and not a shift. */
export type Sender = {
  /** Packets of the next 20 ms: one of audio, or those of a key press. */
  frame(samples: Int16Array, dueMs: number): Uint8Array[];
  /** Starts a key press with the next frame. Throws RangeError for an unknown digit, Error without a payload type for events. */
  press(digit: string, durationMs: number): void;
  totals(): SenderTotals;
};

export function createSender(options: {
  codec: Codec;
  payloadType: number;
  dtmfPayloadType: number | undefined;
  /** By default that of the codec. */
  dtmfClockRate?: number | undefined;
  ssrc: number;
  random: () => number;
}): Sender {
  const { codec, payloadType, dtmfPayloadType, ssrc, random } = options;
  const unitsPerMs = codec.clockRate / 1_000;
  const eventUnitsPerMs = (options.dtmfClockRate ?? codec.clockRate) / 1_000;
  const firstTimestamp = Math.floor(random() * 2 ** 32);
  let sequence = Math.floor(random() * 2 ** 16);
  let firstDueMs: number | undefined;
  let timestamp = firstTimestamp;
  let lastDueMs: number | undefined;
  let pressed: { digit: string; durationMs: number } | undefined;
  let press: ReturnType<typeof createDtmfPress> | undefined;
  let packets = 0;
  let octets = 0;

  const packet = (type: number, payload: Uint8Array, at: number, marker: boolean): Uint8Array => {
    sequence = (sequence + 1) % 65_536;
    packets += 1;
    octets += payload.length;
    return serializeRtp({ payloadType: type, sequence, timestamp: at, ssrc, marker, payload });
  };

  return {
    frame(samples, dueMs) {
      firstDueMs ??= dueMs;
      timestamp = (firstTimestamp + Math.round((dueMs - firstDueMs) * unitsPerMs)) % 2 ** 32;
      const marker = lastDueMs === undefined || dueMs - lastDueMs > 1.5 * FRAME_MS;
      lastDueMs = dueMs;
      if (pressed) {
        const durationUnits = Math.round(pressed.durationMs * eventUnitsPerMs);
        press = createDtmfPress(pressed.digit, {
          timestamp,
          durationUnits,
          frameUnits: FRAME_MS * eventUnitsPerMs,
        });
        pressed = undefined;
      }
      if (!press || dtmfPayloadType === undefined) {
        return [packet(payloadType, codec.encode(samples), timestamp, marker)];
      }
      const step = press();
      if (step.over) press = undefined;
      return step.packets.map((event) =>
        packet(dtmfPayloadType, event.payload, event.timestamp, event.marker),
      );
    },
    press(digit, durationMs) {
      if (dtmfPayloadType === undefined) throw new Error('The far end has not negotiated telephone-event');
      if (digit.length !== 1 || !DTMF_DIGITS.includes(digit))
        throw new RangeError(`Not a DTMF digit: ${digit}`);
      pressed = { digit, durationMs };
    },
    totals: () => ({ packets, octets, timestamp }),
  };
}
