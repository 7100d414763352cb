import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { LegEvent } from '../carriers/call-control.ts';
import type { CallUpdate } from '../carriers/call-update.ts';
import type { Call } from './call.ts';
import type { SessionDeps } from './call-session.ts';
import { createConsult } from './consult.ts';
import { type Conversation, createConversation } from './conversation.ts';
import type { Ending } from './ending.ts';
import type { EventQueue } from './event-queue.ts';
import { createLeg, type Leg, toCallEvent } from './leg.ts';
import type { CallRecord } from './record.ts';
import { createTransfers } from './transfers.ts';

/** The time from the answer until the carrier must have media for the leg. Stack ms. */
const MEDIA_TIMEOUT_MS = 10_000;
/** After a transfer the conversation lasts this much longer, so that the tool's turn is stored. Stack ms. */
const TRANSFERRED_MS = 500;

/** The human whom the call is with: their leg, and the conversation on it. */
export type Party = {
  leg: Leg;
  /** Undefined: it has not begun. */
  conversation(): Conversation | undefined;
  /** Call when the call is answered. Begins at once, or as soon as the leg has media; repeated calls do nothing. */
  talk(): void;
  /** Pauses the recording, or ends the pause; also before the conversation. */
  pauseRecording(isPaused: boolean): void;
};

type Options = {
  call: Call;
  queue: EventQueue;
  ending: Ending;
  record: CallRecord;
  assistant: () => PreparedAssistant | null;
  show: (update: CallUpdate) => void;
  /** An inbound call that has no assistant is rejected before (`call-start.ts`). */
  onAnsweredWithoutAssistant: () => void;
};

/** Turns the events of the leg into events of the call, and begins and stops the conversation by them. */
export function createParty(deps: SessionDeps, options: Options): Party {
  const { carrier, openAudio } = deps;
  const { queue, ending, record, show } = options;
  const { life, call, post } = queue;
  const { hangUp, isHangingUp } = ending;
  const endsSilentLegs = carrier.capabilities.endsSilentLegs ?? false;
  let conversation: Conversation | undefined;
  let isRecordingPaused = options.call.isRecordingPaused ?? false;

  const talk = (): void => {
    if (conversation || isHangingUp()) return;
    const assistant = options.assistant();
    const media = leg.media();
    if (!assistant) options.onAnsweredWithoutAssistant();
    else if (media) {
      conversation = createConversation(deps, {
        queue,
        media,
        endsSilentLegs,
        show,
        assistant,
        record,
        transfers,
        isHangingUp,
        hangUp,
        isRecordingPaused: () => isRecordingPaused,
      });
      conversation.begin();
      if (call().state.machineDetected) conversation.onMachineDetected();
    } else if (!endsSilentLegs) life.after(MEDIA_TIMEOUT_MS, () => conversation ?? hangUp('no_media'));
  };

  const onEvent = (event: LegEvent): void => {
    if (event.type === 'transfer_result') {
      transfers.complete(event.ok, event.transferId);
      // The party talks to the target, in this process or elsewhere: the assistant no longer listens or speaks.
      if (event.ok) life.after(TRANSFERRED_MS, () => conversation?.stop('the call is transferred'));
    }
    if (event.type === 'ending') conversation?.stop('the human is gone');
    if (event.type === 'ended' && event.cause === 'transferred') transfers.complete(true);
    if (event.type === 'dtmf' && conversation?.press(event.digits)) return;
    if (event.type === 'text') conversation?.write(event.text);
    if (event.type === 'media' && call().state.phase === 'up') talk();
    const callEvent = toCallEvent(event, ending.causeOf);
    if (callEvent) void post(callEvent);
  };

  const consult = () => {
    const config = options.assistant()?.config;
    return openAudio && config ? createConsult({ openAudio, call: call(), config }) : undefined;
  };
  const transfers = createTransfers({ ...deps, consult }, queue);
  const reference = options.call.id;
  const leg = createLeg(carrier, { reference, state: options.call.carrierState ?? null, onEvent });

  return {
    leg,
    talk,
    conversation: () => conversation,
    pauseRecording: (isPaused) => {
      isRecordingPaused = isPaused;
      conversation?.pauseRecording(isPaused);
    },
  };
}
