import {
  Alert,
  Button,
  Group,
  NumberInput,
  PasswordInput,
  SegmentedControl,
  Select,
  Textarea,
  TextInput,
} from '@mantine/core';
import { errorsByField } from '../../app/describe-error.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { FieldSet } from '../../components/field-set.tsx';
import { Form } from '../../components/form.tsx';
import { useRole } from '../../components/role-gate.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { SentBeforeNote } from '../../drafts/sent-before-note.tsx';
import { nameProblem } from '../assistants/model/schema-rows.ts';
import { HeaderRows } from './header-rows.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { hasMoved, type ToolForm } from './tool-form.ts';
import { type EditedTool, useToolForm } from './use-tool-form.ts';

/** The fields of a tool. */
export function ToolDefinition(props: EditedTool) {
  const { stored, onClose } = props;
  const { isAllowed, reason } = useRole('developer');
  const { draft, set, save, clashes, takeTheirs } = useToolForm(props);
  const { value: form, base } = draft;
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
            <Button size="compact-sm" variant="default" onClick={takeTheirs}>
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
