import type { TestEntry } from '@parley/contracts';
import { monotonicMs, realNow, realSleep } from '@parley/kit/time';
import type { TextPort } from '../engines/text-port.ts';
import { aborted } from '../sessions/aborted.ts';

/** An engine that continues after a tool does so within this time. */
const QUIET_MS = 20;

type TurnPort = TextPort & {
  /** The assistant's latency counts from now on. */
  mark(): void;
};

type Options = {
  /** Called with each utterance. */
  onSpoken: (entry: Extract<TestEntry, { role: 'agent' }>) => void;
  running: ReadonlySet<Promise<unknown>>;
  /** The assistant waits for the human, and no tool is running. */
  onOver: () => void;
};

/** The conversation of one turn: what the assistant says is collected, and when it listens, the turn is over. */
export function createTurnPort({ onSpoken, running, onOver }: Options): TurnPort {
  let sinceMs = monotonicMs();
  let speaking = 0;

  /** Non-blocking tools may still have a result to speak. */
  const endWhenQuiet = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      await Promise.allSettled(running);
      await realSleep(QUIET_MS, signal);
      if (running.size === 0 && speaking === 0) return onOver();
    }
  };

  return {
    mark: () => {
      sinceMs = monotonicMs();
    },
    say: async (text, signal) => {
      speaking += 1;
      try {
        const said = { content: '', firstMs: 0 };
        for await (const words of typeof text === 'string' ? [text] : text) {
          signal.throwIfAborted();
          if (said.content === '') said.firstMs = monotonicMs();
          said.content += words;
        }
        if (said.content !== '') {
          const [latency, duration] = [said.firstMs - sinceMs, monotonicMs() - sinceMs].map(Math.round);
          onSpoken({
            role: 'agent',
            content: said.content,
            latency_ms: latency ?? 0,
            duration_ms: duration ?? 0,
          });
          sinceMs = monotonicMs();
        }
        const firstAudioAtMs = said.content === '' ? null : realNow().getTime();
        return { text: said.content, isInterrupted: false, firstAudioAtMs };
      } finally {
        speaking -= 1;
      }
    },
    hear: (signal) => {
      endWhenQuiet(signal).catch(() => {});
      return aborted(signal);
    },
  };
}
