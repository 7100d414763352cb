import {
  Alert,
  Button,
  Group,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Select,
  Tabs,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useIsMutating, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../app/client.ts';
import { errorsByField } from '../../app/describe-error.ts';
import { notifyDone } from '../../app/notify.ts';
import { Drawer } from '../../components/dialog.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { FieldSet } from '../../components/field-set.tsx';
import { Form } from '../../components/form.tsx';
import { useRole } from '../../components/role-gate.tsx';
import { changedFields } from '../../drafts/differences.ts';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { SentBeforeNote } from '../../drafts/sent-before-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { useDraftKey } from '../../drafts/use-draft-key.ts';
import { sendsOf, useSend } from '../../drafts/use-send.ts';
import { NEW_TOOL, toolDraftName } from '../assistants/model/draft.ts';
import { nameProblem } from '../assistants/model/schema-rows.ts';
import { assistantQuery, type Tool } from '../assistants/queries.ts';
import { HeaderRows } from './header-rows.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { hasMoved, ontoTheirs, type ToolForm, toBody, toForm, withoutSecrets } from './tool-form.ts';
import { TryTool } from './try-tool.tsx';

type Props = { agentId: string; tool: Tool | 'new'; onClose(): void };

/** Creates, changes and tries one custom tool. Loaded when it is opened. */
export function ToolDrawer({ agentId, tool, onClose }: Props) {
  const stored = tool === 'new' ? null : tool;
  const draftName = toolDraftName(agentId, stored?.id ?? NEW_TOOL);
  const isSaving = useIsMutating({ mutationKey: sendsOf(useDraftKey(draftName)) }) > 0;
  return (
    <Drawer
      opened
      onClose={onClose}
      isBusy={isSaving}
      position="right"
      size="xl"
      title={stored ? stored.tool_name : 'New tool'}
      closeOnClickOutside={false}
    >
      <Tabs defaultValue="definition" key={stored?.id ?? 'new'} keepMounted>
        {stored && (
          <Tabs.List mb="md">
            <Tabs.Tab value="definition">Definition</Tabs.Tab>
            <Tabs.Tab value="try">Try it</Tabs.Tab>
          </Tabs.List>
        )}
        <Tabs.Panel value="definition">
          <Definition agentId={agentId} stored={stored} draftName={draftName} onClose={onClose} />
        </Tabs.Panel>
        {stored && (
          <Tabs.Panel value="try">
            <TryTool tool={stored} />
          </Tabs.Panel>
        )}
      </Tabs>
    </Drawer>
  );
}

const NO_TOOL = toForm(null);

type DefinitionProps = {
  agentId: string;
  stored: Tool | null;
  draftName: string;
  onClose(): void;
};

function Definition({ agentId, stored, draftName, onClose }: DefinitionProps) {
  const client = useQueryClient();
  const { isAllowed, reason } = useRole('developer');
  /** The newest version that is known here. */
  const [known, setKnown] = useState(() => toForm(stored));
  const draft = useDraft(draftName, known, withoutSecrets);
  const { value: form, base, theirs, rebase } = draft;
  const [clashes, setClashes] = useState<string[]>([]);
  const set = <K extends keyof ToolForm>(key: K, value: ToolForm[K]) =>
    draft.set((now) => ({ ...now, [key]: value }));
  useUnloadWarning(draft.isDirty);

  // What another person has saved since the draft was begun.
  useEffect(() => {
    if (theirs === undefined) return;
    const joined = ontoTheirs(base, form, theirs);
    rebase(theirs, joined.form);
    setClashes(joined.clashes);
  }, [theirs, base, form, rebase]);

  const save = useSend(draft, {
    send: async (sent, request) => {
      const body = toBody(sent);
      if (!stored) {
        await api.tools.createCustom({ ...body, agent_id: agentId }, request);
        return { saved: NO_TOOL, isClash: false };
      }
      const current = await api.tools.get(stored.id);
      if (ontoTheirs(base, sent, toForm(current)).clashes.length > 0)
        return { saved: toForm(current), isClash: true };
      const changes = changedFields(toBody(base), body);
      const isChanged = Object.keys(changes).length > 0;
      const changed = isChanged ? await api.tools.updateCustom(stored.id, changes) : current;
      return { saved: toForm(changed), isClash: false };
    },
    onSuccess: async ({ saved, isClash }, sent) => {
      setKnown(saved);
      if (isClash) return;
      const isAllSaved = draft.settle(sent, saved);
      // Its list, and that of all assistants.
      await client.invalidateQueries({ queryKey: ['tools'] });
      await client.invalidateQueries({ queryKey: assistantQuery(agentId).queryKey });
      const name = sent.name.trim();
      notifyDone(stored ? `${name} is saved` : `${name} is added, and in use`);
      if (isAllSaved || !stored) onClose();
    },
    onSentBefore: ({ saved, isClash }) => {
      setKnown(saved);
      if (stored && !isClash) onClose();
    },
  });
  const errors = errorsByField(save.error);
  const isComplete =
    nameProblem(form.name.trim(), []) === undefined &&
    form.url.trim() !== '' &&
    form.schema.problem === undefined;
  return (
    <Form onSubmit={save.submit}>
      <FieldSet disabled={!isAllowed}>
        {reason && <Alert color="gray">{reason}.</Alert>}
        <DraftNote draft={draft} hasSecrets />
        <TextInput
          label="Name"
          description="How the model calls it. A verb and a noun work best."
          placeholder="check_availability"
          value={form.name}
          onChange={(event) => set('name', event.currentTarget.value)}
          error={errors.tool_name ?? (form.name === '' ? undefined : nameProblem(form.name.trim(), []))}
          maxLength={64}
          data-autofocus
        />
        <Textarea
          label="When to use it"
          description="The model reads this and decides by it."
          placeholder="Checks whether a day is free. Use it before you promise an appointment."
          autosize
          minRows={2}
          value={form.description}
          onChange={(event) => set('description', event.currentTarget.value)}
          error={errors.description}
        />
        <Group align="flex-start" gap="xs" wrap="nowrap">
          <Select
            label="Method"
            data={['POST', 'GET']}
            value={form.method}
            allowDeselect={false}
            w={96}
            onChange={(method) => set('method', method === 'GET' ? 'GET' : 'POST')}
          />
          <TextInput
            label="URL"
            placeholder="https://example.com/availability"
            value={form.url}
            onChange={(event) => set('url', event.currentTarget.value)}
            error={errors.endpoint_url}
            inputMode="url"
            style={{ flex: 1 }}
          />
        </Group>
        <SchemaEditor
          state={form.schema}
          onChange={(schema) => set('schema', schema)}
          error={Object.entries(errors).find(([path]) => path.startsWith('parameters'))?.[1]}
          isLocked={!isAllowed}
        />
        <HeaderRows
          rows={form.headers}
          onChange={(headers) => set('headers', headers)}
          hasMoved={stored !== null && hasMoved(base.url, form.url)}
          errorOf={(name) => errors[`headers.${name}`]}
        />
        <Behavior form={form} set={set} errors={errors} />
        <PasswordInput
          label="Signing secret of this tool"
          description="Instead of the workspace's secret. whsec_ and 24 to 64 random bytes in base64."
          placeholder={stored?.webhook_secret ? '•••••••• (stored)' : 'The workspace secret is used'}
          value={form.secret ?? ''}
          onChange={(event) => set('secret', event.currentTarget.value)}
          error={errors.webhook_secret}
          autoComplete="new-password"
        />
        {clashes.length > 0 && (
          <Alert color="orange" title="Another person saved this tool meanwhile" role="alert">
            You both changed {clashes.join(', ')}. Yours is shown and not saved yet: save again to keep it.{' '}
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                draft.discard();
                setClashes([]);
              }}
            >
              Take theirs
            </Button>
          </Alert>
        )}
        <SentBeforeNote of={save} />
        {save.error !== null && <ErrorNote error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={save.isPending}>
            Close
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!isAllowed || !isComplete}>
            {stored ? 'Save tool' : 'Add tool'}
          </Button>
        </Group>
      </FieldSet>
    </Form>
  );
}

type BehaviorProps = {
  form: ToolForm;
  set<K extends keyof ToolForm>(key: K, value: ToolForm[K]): void;
  errors: Readonly<Record<string, string>>;
};

function Behavior({ form, set, errors }: BehaviorProps) {
  return (
    <>
      <NumberInput
        label="Timeout"
        description="5 to 300 seconds. Answers after 10 seconds are marked as slow: the human waits meanwhile."
        suffix=" s"
        min={5}
        max={300}
        clampBehavior="none"
        allowDecimal={false}
        value={form.timeoutSeconds}
        onChange={(value) => set('timeoutSeconds', value)}
        error={errors.timeout_seconds}
        maw={240}
      />
      <div>
        <SegmentedControl
          aria-label="While the tool runs"
          value={form.isBlocking ? 'blocking' : 'non_blocking'}
          onChange={(value) => set('isBlocking', value === 'blocking')}
          data={[
            { value: 'blocking', label: 'The conversation waits' },
            { value: 'non_blocking', label: 'It goes on (live models)' },
          ]}
        />
      </div>
      {!form.isBlocking && (
        <Select
          label="When the result is there"
          data={[
            { value: 'when_idle', label: 'Speak of it at the next pause' },
            { value: 'silent', label: 'Only remember it' },
          ]}
          value={form.scheduling}
          allowDeselect={false}
          onChange={(value) => set('scheduling', value === 'silent' ? 'silent' : 'when_idle')}
          error={errors.result_scheduling}
          maw={320}
        />
      )}
    </>
  );
}

/** The browser asks before a page with typed text is closed. */
function useUnloadWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isDirty]);
}
