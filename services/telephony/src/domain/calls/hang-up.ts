import type { CallParts, WhyWeEnd } from './call-parts.ts';

/** Once the carrier was asked to hang up it tells the end; one that doesn't is not waited for any longer. Stack ms. */
const HANGUP_TAKES_MS = 10_000;
/** How long a carrier that can't be asked is waited for: no call stays live for ever. Stack ms. */
const GIVES_UP_MS = 60_000;

export type HangUp = {
  /** Asks the carrier to hang up, once; repetitions change nothing. `act`: by doing something else. */
  begin(why: WhyWeEnd, act?: () => Promise<void>): void;
  /** Why we are hanging up, once we are. */
  why(): WhyWeEnd | undefined;
};

type Parts = Pick<CallParts, 'deps' | 'call' | 'life' | 'command' | 'postEnd'> & { onBegin: () => void };

export function createHangUp({ deps, call, life, command, postEnd, onBegin }: Parts): HangUp {
  let cause: WhyWeEnd | undefined;

  const ask = async (why: WhyWeEnd, act: () => Promise<void>): Promise<void> => {
    life.after(GIVES_UP_MS, () => void postEnd(why));
    const asked = await command('hang up', act);
    if (!asked) return;
    // Its end is ours to tell where the carrier may not even know the leg.
    const isOurs = why === 'failed' || why === 'unsettled';
    life.after(isOurs ? 0 : HANGUP_TAKES_MS, () => void postEnd(why));
  };

  return {
    begin: (why, act = () => deps.carrier.hangup(call().id)) => {
      if (cause || life.signal.aborted) return;
      cause = why;
      onBegin();
      void ask(why, act);
    },
    why: () => cause,
  };
}
