import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { describeError, hasNoResponse } from '../app/describe-error.ts';
import { notifyError, notifySentBefore } from '../app/notify.ts';
import type { Sending } from './draft-state.ts';
import { openForm } from './open-forms.ts';
import type { Draft } from './use-draft.ts';

type Options<T, R> = {
  /** What is sent, for a message after the form was closed: "Knowledge base “Menu”". */
  subject: (sent: T) => string;
  /** `at`: when it was sent first. */
  send: (sent: T, request: SendRequest, at: number) => Promise<R>;
  /** Also after the form was closed. `isOpen`: it is still there, or there again. */
  onSuccess: (result: R, sent: T, isOpen: boolean) => unknown;
  /** In the form that is open then, if it was closed and opened again while the request ran. */
  onSentBefore?: (result: R) => unknown;
};

/** Options of the client's method. */
export type SendRequest = { idempotencyKey: string; onReplayed: () => void };

type Variables<T> = { sent: T; sending: Sending; isAgain: boolean };
type State<R> = { status: string; error: unknown; data: R | undefined };

/** All requests that send drafts of this key. */
export const sendsOf = (draftKey: string) => ['send', draftKey] as const;

/**
 * Sends the draft of a form. A form that is closed and opened again while its request runs shows that, and its result, as if it had
 * stayed open: it is sent once [dashboard.35].
 */
export function useSend<T, R>(
  draft: Pick<Draft<T>, 'key' | 'value' | 'sending'>,
  { subject, send, onSuccess, onSentBefore }: Options<T, R>,
) {
  const client = useQueryClient();
  const mutationKey = sendsOf(draft.key);
  const [before] = useState(() => {
    const known = client.getMutationCache().findAll({ mutationKey });
    return { all: new Set(known), ended: new Set(known.filter(({ state }) => state.status !== 'pending')) };
  });
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: ({ sent, sending: { idempotencyKey, at }, isAgain }: Variables<T>) => {
      const onReplayed = () => {
        // The client's own retries are one attempt.
        if (isAgain) notifySentBefore(at);
      };
      return send(sent, { idempotencyKey, onReplayed }, at);
    },
    onSuccess: (result, { sent }) => onSuccess(result, sent, openForm(draft.key) !== undefined),
    onError: (error, { sent }) => {
      // The form that would show it is closed.
      if (!openForm(draft.key)) notifyError(error, `${subject(sent)}: ${describeError(error).heading}`);
    },
  });
  const found = useMutationState({
    filters: { mutationKey, predicate: (mutation) => !before.ended.has(mutation) },
    select: (mutation) => {
      const { status, error, data } = mutation.state;
      return { status, error, data: data as R | undefined, isEarlier: before.all.has(mutation) };
    },
  }).at(-1) as (State<R> & { isEarlier: boolean }) | undefined;
  // The cache forgets it after a while, and what it shows may be shown once.
  const kept = useRef(found);
  kept.current = found ?? kept.current;
  const latest = kept.current;
  const isPending = latest?.status === 'pending';
  const ended = useRef<() => void>(undefined);
  ended.current = () => void onSentBefore?.(latest?.data as R);
  const isEarlierDone = latest?.isEarlier === true && latest.status === 'success';
  useEffect(() => {
    if (isEarlierDone) ended.current?.();
  }, [isEarlierDone]);
  return {
    submit: () => {
      if (client.isMutating({ mutationKey }) > 0) return;
      const now = Date.now();
      const sending = draft.sending();
      mutate({ sent: draft.value, sending, isAgain: sending.at < now });
    },
    isPending,
    /** It was sent before the form was closed and opened again. */
    isSentBefore: isPending && latest.isEarlier,
    /** The last attempt got no response: it may have been accepted. */
    isLost: hasNoResponse(latest?.error),
    isSuccess: latest?.status === 'success',
    error: latest?.error ?? null,
    data: latest?.data,
  };
}
