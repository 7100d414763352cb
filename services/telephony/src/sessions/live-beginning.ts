import { z } from 'zod';
import type { PreparedAssistant } from '../assistants/prepare-prompt.ts';
import type { Call } from './call.ts';
import type { History } from './history.ts';

const CONTINUE = 'The line broke off for a moment. Answer what the human said last, and go on.';
/** Precedes what the human said after the handle was issued, at the end of a turn: the model may not know it. */
const LAST_WORDS = 'What the human said last:';
const GREET = 'The human has picked up the phone. Begin the conversation.';

const VERSION = 2;
/**
 * During an upgrade, a worker of another version may take over the call, and ignores a state with another `VERSION`: increment it when the
 * shape or meaning changes. Versions of Parley without this field use any `handle` that is beside `provider`, so it is inside `resumption`.
 */
const liveState = z.object({
  version: z.literal(VERSION),
  provider: z.string(),
  resumption: z.object({
    handle: z.string(),
    /** `lastAnswerSeq` when the provider issued the handle. */
    seq: z.number(),
  }),
});

/** What another worker needs to continue the conversation. */
export type LiveState = z.output<typeof liveState>;

export function toLiveState(provider: string, handle: string, history: History): LiveState {
  return { version: VERSION, provider, resumption: { handle, seq: history.lastAnswerSeq() } };
}

type Beginning = {
  /** Null: the model gets the whole history. */
  handle: string | null;
  /** How the model begins; undefined: it is the human's turn. */
  opening: string | undefined;
};

/** How a live model begins a call, or continues that of another worker. */
export function beginningOf(
  { firstMessage }: Pick<PreparedAssistant, 'firstMessage'>,
  provider: string,
  call: Pick<Call, 'callType' | 'modelState'>,
  history: History,
): Beginning {
  const turns = history.turns();
  const unanswered = turns.slice(turns.findLastIndex(({ role }) => role === 'agent') + 1);
  // A model that does not know the result of a tool would use the tool again.
  const hasUsedTools = unanswered.some(({ role }) => role === 'tool');
  const handle = hasUsedTools ? null : handleOf(call, provider, history);
  if (turns.length > 0 && unanswered.length === 0) return { handle, opening: undefined };
  const words = unanswered.flatMap((turn) => (turn.role === 'user' ? [turn.content] : [])).join(' ');
  // Only for a handle: the history contains the words, and some providers obey an opening like the operator's instructions.
  if (handle !== null && words !== '') return { handle, opening: `${CONTINUE} ${LAST_WORDS} ${words}` };
  if (turns.length > 0) return { handle, opening: CONTINUE };
  if (firstMessage.trim() !== '')
    return { handle, opening: `Begin the conversation by saying exactly this: ${firstMessage}` };
  return { handle, opening: call.callType === 'outbound' ? GREET : undefined };
}

/**
 * The stored handle, if this provider issued it and the assistant has said or done nothing since, which the model would not know. What
 * the human has said since can be told to it.
 */
function handleOf(
  { modelState }: Pick<Call, 'modelState'>,
  provider: string,
  history: History,
): string | null {
  const { data: stored } = liveState.safeParse(modelState);
  if (stored?.provider !== provider) return null;
  const { handle, seq } = stored.resumption;
  return history.lastAnswerSeq() > seq ? null : handle;
}
