import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Media } from '../carriers/media.ts';
import { mediaClock } from '../speech/media-clock.ts';
import type { AnswerDetection } from './detect-answer.ts';
import type { EventQueue } from './event-queue.ts';
import type { CallPort } from './open-live.ts';
import type { RecordedPort } from './recorded-port.ts';
import { greetingEnds } from './watch-audio.ts';

/** Until then the detector has decided [calls.25]. Its code is loaded only for calls with audio. */
const MAX_DETECTION_MS = 4_000;

/**
 * Detects whether a machine has answered. Undefined: not to be detected. Only the callee of an outbound call may be a
 * machine, and only at the beginning of the call.
 */
export function answerDetection(
  { log, clock, call, sinceMs, post }: EventQueue,
  { config }: PreparedAssistant,
  turns: number,
): AnswerDetection | undefined {
  const sinceAnswerMs = sinceMs(call().state.answeredAt);
  const isNew = turns === 0 && sinceAnswerMs < MAX_DETECTION_MS && !call().state.machineDetected;
  if (call().callType !== 'outbound' || !config.settings.voicemail.detection || !isNew) return undefined;
  return {
    language: config.language,
    sinceMs: sinceAnswerMs,
    onVerdict: (answeredBy) => {
      log.info({ answeredBy }, 'the call was answered');
      if (answeredBy === 'machine')
        void post({ type: 'machine_detected', legId: call().state.callSid, at: clock.now() });
    },
  };
}

type MessageLine = {
  media: Media;
  openPort: () => Promise<CallPort & Pick<RecordedPort, 'forget'>>;
  signal: AbortSignal;
};

/** Leaves the assistant's message after the greeting of a machine [assistants.10], once per call. Rejects when the signal aborts. */
export async function leaveMessage(
  { call, post }: EventQueue,
  { config, voicemailMessage }: PreparedAssistant,
  { media, openPort, signal }: MessageLine,
): Promise<void> {
  if (config.settings.voicemail.action !== 'leave_message' || call().state.voicemailMessageLeft) return;
  const port = await openPort();
  if (media.kind === 'audio') {
    const { watchBeep } = await import('./detect-answer.ts');
    await greetingEnds(mediaClock, port, watchBeep(media.session), signal);
  }
  const say = async (): Promise<boolean> => {
    // The words of the greeting may be known only now, or later: they don't interrupt.
    port.forget?.();
    return !(await port.say(voicemailMessage, signal)).isInterrupted;
  };
  // If the greeting had not ended and interrupts the message, the message is repeated.
  const isLeft = (await say()) || (await say());
  if (isLeft) await post({ type: 'message_left' });
}
