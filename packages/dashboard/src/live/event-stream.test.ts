import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { openEventStream } from './event-stream.ts';

/** The browser's, as far as the stream uses it. */
class FakeSource {
  static readonly CONNECTING = 0;
  static readonly CLOSED = 2;
  static readonly opened: FakeSource[] = [];
  readyState = FakeSource.CONNECTING;
  onopen = (): void => {};
  onerror = (): void => {};
  constructor() {
    FakeSource.opened.push(this);
  }
  addEventListener(): void {}
  close(): void {}
}

describe('a page whose stream ends and is refused, as during an outage of the broker [dashboard.9]', () => {
  const states: string[] = [];
  const newest = () => FakeSource.opened.at(-1) ?? new FakeSource();
  beforeEach(() => {
    jest.useFakeTimers();
    Object.assign(globalThis, { EventSource: FakeSource });
  });
  afterEach(() => {
    jest.useRealTimers();
    Reflect.deleteProperty(globalThis, 'EventSource');
  });

  it('is not live from then on, and opens it again within 30 seconds', () => {
    const stream = openEventStream({
      onOpen: () => states.push('live'),
      onLost: () => states.push('lost'),
      onChanges: () => {},
      onReset: () => {},
      onAccessChange: () => {},
    });
    newest().onopen();
    expect(states.splice(0)).toEqual(['live']);
    // The browser connects again by itself.
    newest().onerror();
    expect(states.splice(0)).toEqual(['lost']);
    for (let refusals = 1; refusals <= 3; refusals += 1) {
      newest().readyState = FakeSource.CLOSED;
      newest().onerror();
      expect(states.splice(0)).toEqual(['lost']);
      jest.advanceTimersByTime(30_000);
      expect(FakeSource.opened).toHaveLength(1 + refusals);
    }
    newest().onopen();
    expect(states).toEqual(['live']);
    stream.close();
  });
});
