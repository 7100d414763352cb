import type { CallConfig } from '../assistants/call-config.ts';
import type { ConsultLine, TransferRequest } from '../carriers/call-control.ts';
import { consultationIn, verdictIn } from '../speech/fixed-sentences.ts';
import type { Call } from './call.ts';
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
    const port = await openAudio({
      session: target.session,
      call,
      config,
      record: NO_RECORD,
      onKeys: () => {},
    });
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
function keyVerdict({ session, onKey }: ConsultLine, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    onKey((key) => {
      if (key === ACCEPT || key === DECLINE) resolve(key === ACCEPT);
    });
    signal.addEventListener('abort', () => resolve(false), { once: true });
    void session.closed.then(() => resolve(false));
  });
}
