import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, Suspense } from 'react';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { notifyDone } from '../../app/notify.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { FieldSet } from '../../components/field-set.tsx';
import { RoleGate, useRole } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { changedFields, clashesUnseen } from '../../drafts/differences.ts';
import { DiscardChanges } from '../../drafts/discard-changes.tsx';
import { ConflictGuard } from '../../drafts/lazy-conflict-guard.ts';
import { LeaveGuard } from '../../drafts/leave-guard.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { AssistantSelect } from './assistant-select.tsx';
import { numberQuery, type PhoneNumber } from './queries.ts';

type Form = { inbound: string | null; outbound: string | null; pace: string; webhook: string };

export const draftName = (id: string): string => `numbers/${id}`;

function toForm(number: PhoneNumber): Form {
  return {
    inbound: number.inbound_agent_id,
    outbound: number.outbound_agent_id,
    pace: String(number.max_cps),
    webhook: number.inbound_webhook_url ?? '',
  };
}

function toChanges({ inbound, outbound, pace, webhook }: Form) {
  return {
    inbound_agent_id: inbound,
    outbound_agent_id: outbound,
    max_cps: Number(pace),
    inbound_webhook_url: webhook.trim() || null,
  };
}

/** Who uses a number, its pace and its inbound webhook: a draft, which survives changes of the number elsewhere. */
export function NumberForm({ number }: { number: PhoneNumber }) {
  const { isAllowed, reason } = useRole('developer');
  const client = useQueryClient();
  const shown = toForm(number);
  const draft = useDraft(draftName(number.id), shown);
  const set = (changes: Partial<Form>) => draft.set((former) => ({ ...former, ...changes }));
  const save = useMutation({
    mutationFn: async (sent: Form) => {
      const stored = await client.fetchQuery({ ...numberQuery(number.id), staleTime: 0 });
      if (clashesUnseen(draft.base, sent, shown, toForm(stored))) return undefined;
      const changes = changedFields(toChanges(draft.base), toChanges(sent));
      return Object.keys(changes).length === 0 ? stored : api.phoneNumbers.update(number.id, changes);
    },
    onSuccess: async (saved, sent) => {
      if (!saved) return;
      client.setQueryData(numberQuery(number.id).queryKey, saved);
      draft.settle(sent, toForm(saved));
      notifyDone('Saved');
      await client.invalidateQueries({ queryKey: ['numbers', 'list'] });
      await client.invalidateQueries({ queryKey: ['assistants'] });
    },
  });
  const errors = errorsByField(save.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.isDirty) save.mutate(draft.value);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Section title="Who uses it">
        <FieldSet disabled={!isAllowed} maxWidth={560}>
          <AssistantSelect
            label="Answers calls"
            description="The inbound webhook, if there is one, may choose another assistant for a call."
            none="Nobody: calls are not answered"
            value={draft.value.inbound}
            onChange={(inbound) => set({ inbound })}
            error={errors.inbound_agent_id}
            disabled={!isAllowed}
          />
          <AssistantSelect
            label="Places calls"
            description="When a call names no assistant."
            none="Only those that a call names"
            value={draft.value.outbound}
            onChange={(outbound) => set({ outbound })}
            error={errors.outbound_agent_id}
            disabled={!isAllowed}
          />
        </FieldSet>
      </Section>
      <Section title="Pace and inbound webhook">
        <FieldSet disabled={!isAllowed} maxWidth={560}>
          <TextInput
            type="number"
            label="Calls per second"
            description="Outbound, at most, across campaigns and single calls. 0.1 is one every ten seconds."
            step={0.5}
            value={draft.value.pace}
            onChange={(event) => set({ pace: event.currentTarget.value })}
            error={errors.max_cps}
            styles={{ wrapper: { maxWidth: 280 } }}
          />
          <TextInput
            label="Inbound webhook"
            description={
              number.provider === 'telco'
                ? 'For numbers on a SIP trunk only.'
                : 'Asked before an inbound call connects: it may choose the assistant and give variables. https only; empty: off.'
            }
            placeholder="https://example.com/inbound"
            value={draft.value.webhook}
            onChange={(event) => set({ webhook: event.currentTarget.value })}
            error={errors.inbound_webhook_url}
            disabled={number.provider === 'telco'}
          />
        </FieldSet>
        {save.isError && <ErrorNote error={save.error} />}
        <Group mt="md" gap="sm">
          <RoleGate minimum="developer">
            <Button type="submit" loading={save.isPending} disabled={isAllowed && !draft.isDirty}>
              Save
            </Button>
          </RoleGate>
          <DiscardChanges draft={draft} />
          <Text size="sm" c="dimmed" role="status">
            {draft.isDirty ? 'Unsaved changes' : (reason ?? '')}
          </Text>
        </Group>
      </Section>
      <Suspense>
        {draft.theirs === undefined ? null : <ConflictGuard draft={draft} what="this number" />}
      </Suspense>
      <LeaveGuard isDirty={draft.isDirty} onDiscard={draft.discard} what="this number" />
    </form>
  );
}
