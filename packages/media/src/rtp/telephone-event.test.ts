import { describe, expect, it } from '@jest/globals';
import {
  createDigitLimit,
  createDtmfDetector,
  createDtmfPress,
  DTMF_DIGITS,
  parseTelephoneEvent,
  serializeTelephoneEvent,
} from './telephone-event.ts';

describe('telephone events', () => {
  it('have the layout of RFC 4733', () => {
    expect([...serializeTelephoneEvent({ digit: '#', end: true, duration: 1_000 })]).toEqual([
      11, 0x8a, 0x03, 0xe8,
    ]);
    for (const digit of DTMF_DIGITS) {
      const event = { digit, end: false, duration: 160 };
      expect(parseTelephoneEvent(serializeTelephoneEvent(event))).toEqual(event);
    }
  });

  it('are ignored if they are truncated or not keys', () => {
    expect(parseTelephoneEvent(Uint8Array.of(16, 10, 0, 160))).toBeUndefined();
    expect(parseTelephoneEvent(Uint8Array.of(1, 10, 0))).toBeUndefined();
    expect(() => serializeTelephoneEvent({ digit: 'x', end: false, duration: 0 })).toThrow(RangeError);
    expect(() => serializeTelephoneEvent({ digit: '', end: false, duration: 0 })).toThrow(RangeError);
  });

  it('of one press share a timestamp, grow, and end three times', () => {
    const step = createDtmfPress('5', { timestamp: 1_000, durationUnits: 400, frameUnits: 160 });
    const steps = [step(), step(), step()];
    const events = steps.flatMap(({ packets }) => packets.map(({ payload }) => parseTelephoneEvent(payload)));
    expect(events.map((event) => event?.duration)).toEqual([160, 320, 400, 400, 400]);
    expect(events.map((event) => event?.end)).toEqual([false, false, true, true, true]);
    const packets = steps.flatMap((each) => each.packets);
    expect(packets.map(({ marker }) => marker)).toEqual([true, false, false, false, false]);
    expect(new Set(packets.map(({ timestamp }) => timestamp))).toEqual(new Set([1_000]));
    expect(steps.map(({ over }) => over)).toEqual([false, false, true]);
  });
});

describe('createDtmfDetector', () => {
  const event = (digit: string, duration: number, end = false): Uint8Array =>
    serializeTelephoneEvent({ digit, end, duration });

  it('reports each press once, even if only its end arrives', () => {
    const detect = createDtmfDetector();
    expect(detect(event('1', 160), 1_000)).toBe('1');
    expect(detect(event('1', 320), 1_000)).toBeUndefined();
    expect(detect(event('1', 400, true), 1_000)).toBeUndefined();
    expect(detect(event('1', 400, true), 3_000)).toBe('1');
    expect(detect(event('2', 160), 5_000)).toBe('2');
  });

  it('ignores copies of earlier presses', () => {
    const detect = createDtmfDetector();
    detect(event('1', 160), 1_000);
    detect(event('2', 160), 2_000);
    expect(detect(event('1', 400, true), 1_000)).toBeUndefined();
  });

  it('follows timestamps across their wrap', () => {
    const detect = createDtmfDetector();
    expect(detect(event('1', 160), 2 ** 32 - 100)).toBe('1');
    expect(detect(event('1', 160), 900)).toBe('1');
  });

  it('treats the segments of a long press as one', () => {
    const detect = createDtmfDetector();
    expect(detect(event('1', 65_535), 1_000)).toBe('1');
    expect(detect(event('1', 800), 66_535)).toBeUndefined();
    expect(detect(event('1', 900, true), 66_535)).toBeUndefined();
    expect(detect(event('1', 160), 80_000)).toBe('1');
  });
});

describe('createDigitLimit', () => {
  it('lets twenty keys a second count', () => {
    let nowMs = 0;
    const mayPress = createDigitLimit(() => nowMs);
    const press = (): number => Array.from({ length: 1_000 }, mayPress).filter(Boolean).length;
    expect(press()).toBe(20);
    nowMs += 500;
    expect(press()).toBe(10);
    nowMs += 60_000;
    expect(press()).toBe(20);
  });
});
