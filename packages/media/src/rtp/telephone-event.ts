import { wrappedDistance } from './sequence.ts';

// DTMF as RTP events (RFC 4733). While a key is pressed a packet goes out every 20 ms, all with the timestamp at which it began and
// a growing duration; the last one is sent three times, since its loss would prolong the tone.

/** Keys by their event code. */
export const DTMF_DIGITS = '0123456789*#ABCD';

const PAYLOAD_BYTES = 4;
const END_BIT = 0x80;
const VOLUME_MASK = 0x3f;
/** -10 dBm0, as most senders. */
const VOLUME = 10;
const END_PACKETS = 3;
const MAX_DURATION = 65_535;

export type TelephoneEvent = {
  /** One of `DTMF_DIGITS`. */
  digit: string;
  end: boolean;
  /** In timestamp units. */
  duration: number;
};

/** Returns undefined for other events (fax tones, hook flash) and malformed payloads. */
export function parseTelephoneEvent(payload: Uint8Array): TelephoneEvent | undefined {
  if (payload.length < PAYLOAD_BYTES) return undefined;
  const [event = 0, flags = 0, high = 0, low = 0] = payload;
  const digit = DTMF_DIGITS[event];
  if (digit === undefined) return undefined;
  return { digit, end: (flags & END_BIT) !== 0, duration: high * 256 + low };
}

export function serializeTelephoneEvent({ digit, end, duration }: TelephoneEvent): Uint8Array {
  const event = DTMF_DIGITS.indexOf(digit);
  if (event < 0 || digit.length !== 1) throw new RangeError(`Not a DTMF digit: ${digit}`);
  const limited = Math.min(MAX_DURATION, duration);
  return Uint8Array.of(event, (end ? END_BIT : 0) | (VOLUME & VOLUME_MASK), limited >> 8, limited & 0xff);
}

/**
 * Recognizes each key press once, at its first packet, even if its packets arrive out of order or repeatedly. Returns the digit of a
 * new press, undefined otherwise.
 */
export function createDtmfDetector(): (payload: Uint8Array, timestamp: number) => string | undefined {
  let last: { timestamp: number; digit: string; duration: number; ended: boolean } | undefined;
  return (payload, timestamp) => {
    const event = parseTelephoneEvent(payload);
    if (!event) return undefined;
    const distance = last ? wrappedDistance(last.timestamp, timestamp, 32) : 1;
    if (last && distance <= 0) {
      // The same press, or a copy of an earlier one.
      if (distance === 0) {
        last.duration = Math.max(last.duration, event.duration);
        last.ended ||= event.end;
      }
      return undefined;
    }
    // A press of more than eight seconds continues in another segment with its own timestamp (2.5.1.3).
    const continues =
      last !== undefined && !last.ended && last.digit === event.digit && last.duration === MAX_DURATION;
    last = { timestamp, digit: event.digit, duration: event.duration, ended: event.end };
    return continues ? undefined : event.digit;
  };
}

/** Faster than a person presses keys, and than machines dial. */
const MAX_DIGITS_PER_SECOND = 20;

/** Whether one more key may count: a far end could report a new one with each packet, and all of them would be passed on and stored. */
export function createDigitLimit(nowMs: () => number): () => boolean {
  let left = MAX_DIGITS_PER_SECOND;
  let atMs = nowMs();
  return () => {
    left = Math.min(MAX_DIGITS_PER_SECOND, left + ((nowMs() - atMs) * MAX_DIGITS_PER_SECOND) / 1_000);
    atMs = nowMs();
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

export type EventStep = { payload: Uint8Array; marker: boolean; timestamp: number };

/** The packets of one key press. Each call returns those of the next 20 ms and whether the press is over. */
export function createDtmfPress(
  digit: string,
  options: { timestamp: number; durationUnits: number; frameUnits: number },
): () => { packets: EventStep[]; over: boolean } {
  const { timestamp, frameUnits } = options;
  const durationUnits = Math.min(MAX_DURATION, options.durationUnits);
  let elapsed = 0;
  return () => {
    const marker = elapsed === 0;
    elapsed = Math.min(durationUnits, elapsed + frameUnits);
    const over = elapsed >= durationUnits;
    const payload = serializeTelephoneEvent({ digit, end: over, duration: elapsed });
    const packets = Array.from({ length: over ? END_PACKETS : 1 }, (_, n) => ({
      payload,
      marker: marker && n === 0,
      timestamp,
    }));
    return { packets, over };
  };
}
