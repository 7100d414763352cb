import { Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../../../app/client.ts';
import { errorsByField } from '../../../app/describe-error.ts';
import { notifyDone } from '../../../app/notify.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { useAssistantOptions, useNumberOptions } from '../../../components/searched-options.tsx';
import { DraftNote } from '../../../drafts/draft-note.tsx';
import { useDraft } from '../../../drafts/use-draft.ts';
import { useSend } from '../../../drafts/use-send.ts';
import { variablesOf } from '../../assistants/editor/prompt-section.tsx';
import { assistantQuery } from '../../assistants/queries.ts';
import { numberProblem, plainNumber } from '../../numbers/checks.ts';

type CallForm = {
  to: string;
  from: string | null;
  agentId: string | null;
  values: Readonly<Record<string, string>>;
};

const NO_CALL: CallForm = { to: '', from: null, agentId: null, values: {} };

/** Places one call [dashboard.52]; its page shows how it goes. */
export function CallNumberDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const draft = useDraft('call', NO_CALL);
  const { to, from, agentId, values } = draft.value;
  const numbers = useNumberOptions(from);
  const assistants = useAssistantOptions({ chosen: agentId === null ? [] : [agentId] });
  const assistant = useQuery({ ...assistantQuery(agentId ?? ''), enabled: agentId !== null });
  const names = agentId !== null && assistant.data ? variablesOf(assistant.data.config) : [];
  const call = useSend(draft, {
    subject: (sent) => `Call to ${sent.to}`,
    send: (sent, request) =>
      api.calls.create(
        {
          to_number: plainNumber(sent.to),
          from_number: sent.from ?? '',
          ...(sent.agentId === null ? {} : { agent_id: sent.agentId }),
          dynamic_variables: Object.fromEntries(
            names.flatMap((name) => (sent.values[name] ? [[name, sent.values[name]]] : [])),
          ),
        },
        request,
      ),
    onSuccess: ({ id }, sent, isOpen) => {
      draft.settle(sent, NO_CALL);
      if (!isOpen) return notifyDone(`The call to ${sent.to} is being placed`);
      return navigate({ to: '/calls/$callId', params: { callId: id } });
    },
  });
  const errors = errorsByField(call.error);
  const problem = numberProblem(to);
  return (
    <FormDialog
      onClose={onClose}
      mutation={call}
      onSubmit={call.submit}
      title="Call a number"
      submitLabel="Call"
      isSubmitDisabled={
        to.trim() === '' || problem !== undefined || from === null || (agentId !== null && !assistant.data)
      }
      errorTitle="The call was not placed"
      closeOnClickOutside={false}
    >
      <DraftNote draft={draft} />
      <TextInput
        label="Number to call"
        placeholder="+14155550123"
        inputMode="tel"
        value={to}
        onChange={(event) => draft.change({ to: event.currentTarget.value })}
        error={problem ?? errors.to_number}
        data-autofocus
      />
      <Select
        label="From"
        description="The number that the person sees"
        placeholder="Choose a number"
        {...numbers.props}
        value={from}
        onChange={(number) => draft.change({ from: number })}
        error={numbers.error ?? errors.from_number}
      />
      <Select
        label="Assistant"
        description="If none is chosen, the one that places the calls of this number"
        placeholder="The assistant of the number"
        {...assistants.props}
        value={agentId}
        onChange={(id) => draft.change({ agentId: id })}
        error={assistants.error ?? errors.agent_id}
        clearable
      />
      {agentId !== null && assistant.isError && !assistant.data ? (
        <ErrorNote
          error={assistant.error}
          title="The variables of the assistant could not be read"
          onRetry={() => void assistant.refetch()}
        />
      ) : null}
      {names.length > 0 ? (
        <Stack gap="xs">
          {names.map((name) => (
            <TextInput
              key={name}
              label={name}
              value={values[name] ?? ''}
              onChange={(event) => {
                const value = event.currentTarget.value;
                draft.set((now) => ({ ...now, values: { ...now.values, [name]: value } }));
              }}
            />
          ))}
        </Stack>
      ) : null}
    </FormDialog>
  );
}
