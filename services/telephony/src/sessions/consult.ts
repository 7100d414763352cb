import type { MediaSession } from '@parley/media';
import type { CallConfig } from '../assistants/call-config.ts';
import type { TransferRequest } from '../carriers/call-control.ts';
import type { Call } from './call.ts';
import { consultationIn, verdictIn } from './courtesies.ts';
import type { OpenAudio } from './open-audio.ts';

type Deps = { openAudio: OpenAudio; call: Call; config: CallConfig };

const ACCEPT = '1';
const DECLINE = '2';
/** The words to the target are not part of the call's record. */
const NO_RECORD = { note: () => undefined, correct: () => {} };

/** Announces the caller to the target of a warm transfer; resolves with whether the target accepts, by a key or in words [sip.16]. */
export function createConsult({ openAudio, call, config }: Deps): NonNullable<TransferRequest['consult']> {
  const caller = call.callType === 'outbound' ? call.toNumber : call.fromNumber;
  return async (target, signal) => {
    const pressed = keyVerdict(target, signal);
    const port = await openAudio({ session: target, call, config, record: NO_RECORD, onKeys: () => {} });
    const ask = async (): Promise<boolean> => {
      await port.say(consultationIn(config.language, caller ?? ''), signal);
      for (;;) {
        const { text } = await port.hear(signal);
        const verdict = verdictIn(config.language, text);
        if (verdict !== undefined) return verdict;
      }
    };
    try {
      return await Promise.race([pressed, ask().catch(() => pressed)]);
    } finally {
      port.close();
    }
  };
}

/** Also false after the timeout, or if the target hung up. */
function keyVerdict(target: MediaSession, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = target.onDigit((digit) => {
      if (digit !== ACCEPT && digit !== DECLINE) return;
      stop();
      resolve(digit === ACCEPT);
    });
    signal.addEventListener('abort', () => resolve(false), { once: true });
    void target.closed.then(() => resolve(false));
  });
}
