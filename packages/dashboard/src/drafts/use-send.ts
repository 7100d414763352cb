import { useMutation, useMutationState, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { notifyError } from '../app/notify.ts';
import type { Sending } from './draft-state.ts';
import { openForm } from './open-forms.ts';
import type { Draft } from './use-draft.ts';

type Options<T, R> = {
  send: (sent: T, sending: Sending) => Promise<R>;
  /** Also after the form was closed. */
  onSuccess: (result: R, sent: T) => unknown;
};

type Variables<T> = { sent: T; sending: Sending };
type State<R> = { status: string; error: unknown; data: R | undefined };

/** All requests that send drafts of this key. */
export const sendsOf = (draftKey: string) => ['send', draftKey] as const;

/**
 * Sends the draft of a form. A form that is closed and opened again while its request runs shows that, and its result, as if it had
 * stayed open: it is sent once [dashboard.35].
 */
export function useSend<T, R>(
  draft: Pick<Draft<T>, 'key' | 'value' | 'sending'>,
  { send, onSuccess }: Options<T, R>,
) {
  const client = useQueryClient();
  const mutationKey = sendsOf(draft.key);
  const [before] = useState(() => {
    const known = client.getMutationCache().findAll({ mutationKey });
    return { all: new Set(known), ended: new Set(known.filter(({ state }) => state.status !== 'pending')) };
  });
  const { mutate } = useMutation({
    mutationKey,
    mutationFn: ({ sent, sending }: Variables<T>) => send(sent, sending),
    onSuccess: (result, { sent }) => onSuccess(result, sent),
    onError: (error) => {
      // The form that would show it is closed.
      if (!openForm(draft.key)) notifyError(error);
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
  return {
    submit: () => {
      if (client.isMutating({ mutationKey }) > 0) return;
      mutate({ sent: draft.value, sending: draft.sending() });
    },
    isPending,
    /** It was sent before the form was closed and opened again. */
    isSentBefore: isPending && latest.isEarlier,
    isSuccess: latest?.status === 'success',
    error: latest?.error ?? null,
    data: latest?.data,
  };
}
