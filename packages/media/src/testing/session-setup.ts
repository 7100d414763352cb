import { concatenate } from '../audio/frame.ts';
import type { MediaClock } from '../clock.ts';
import type { MediaSession } from '../session/media-session.ts';
import { createTicker, type Ticker } from '../ticker.ts';
import type { MediaSetup } from './contract-case.ts';
import { createManualClock } from './manual-clock.ts';

const STEP_MS = 20;

/** A clock that only the test moves, and what lets time pass on it. */
export type ManualTime = { clock: MediaClock; ticker: Ticker; pass: MediaSetup['pass'] };

export function manualTime(): ManualTime {
  const clock = createManualClock(1_000_000);
  const ticker = createTicker(clock, (error) => {
    throw error;
  });
  return {
    clock,
    ticker,
    async pass(ms) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        clock.advance(Math.min(STEP_MS, left));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

/** Another session as the far end of the session under test. */
export function farEnd(session: MediaSession): MediaSetup['far'] {
  const heard: Int16Array[] = [];
  let pressed = '';
  session.onFrame(({ samples }) => heard.push(samples));
  session.onDigit((digit) => {
    pressed += digit;
  });
  return {
    sampleRate: session.sampleRate,
    speak(samples) {
      const playback = session.play();
      playback.write(samples, session.sampleRate);
      playback.end();
    },
    heard: () => concatenate(heard),
    press: (digits) => void session.sendDigits(digits),
    pressed: () => pressed,
  };
}
