import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Media } from '../carriers/media.ts';
import type { Heard } from '../engines/text-port.ts';
import { repeatPleaseIn, silencePromptIn } from '../speech/fixed-sentences.ts';
import { mediaClock } from '../speech/media-clock.ts';
import type { EventQueue } from './event-queue.ts';
import type { CallRecord } from './record.ts';
import type { RecordedPort } from './recorded-port.ts';
import { silenceLeftMs } from './silence-left.ts';
import { askForLostWords, watchSilence } from './watch-audio.ts';

type Options = {
  queue: EventQueue;
  media: Media;
  assistant: PreparedAssistant;
  record: CallRecord;
  hangUp: (cause: 'local') => void;
};

/** Listens to the human, and hangs up after the silence timeout, which is counted across workers. */
export function createListening({ queue, media, assistant, record, hangUp }: Options) {
  const { life, clock, call } = queue;
  const { language, settings } = assistant.config;
  const timeoutMs = settings.silenceTimeout;
  const entriesBefore = record.entries.length;
  const onTimeout = (): void => hangUp('local');

  const watchText = (isResumed: boolean): (() => void) => {
    const last = record.entries.at(-1) ?? null;
    const facts = { timeoutMs, last, answeredAt: call().state.answeredAt, now: clock.now() };
    return life.after(isResumed ? silenceLeftMs(facts) : timeoutMs, onTimeout);
  };

  const watchAudio = (port: RecordedPort, isResumed: boolean, signal: AbortSignal): (() => void) => {
    const clocks = { clock, media: mediaClock };
    const prompt = () => port.say(silencePromptIn(language), signal);
    const ask = () => port.say(repeatPleaseIn(language), signal);
    const stopWatching = watchSilence(life, clocks, { port, timeoutMs, prompt, onTimeout });
    const wasBegun = isResumed && record.entries.length > 0;
    const stopAsking = wasBegun ? askForLostWords(life, clocks, port, ask) : undefined;
    return () => {
      stopWatching();
      stopAsking?.();
    };
  };

  const hear = (port: RecordedPort, signal: AbortSignal): Promise<Heard> => {
    // Nothing was said since this worker has the call.
    const isResumed = record.entries.length === entriesBefore;
    const stop = media.kind === 'text' ? watchText(isResumed) : watchAudio(port, isResumed, signal);
    return port.hear(signal).finally(stop);
  };
  return { hear };
}
