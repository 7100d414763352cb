import { Alert, Button, Group, NumberInput, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo } from 'react';
import { api } from '../../app/client.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { JsonEditor } from '../../components/json/json-editor.tsx';
import { JsonView } from '../../components/json/json-view.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { DraftNote } from '../../drafts/draft-note.tsx';
import { useDraft } from '../../drafts/use-draft.ts';
import { tryDraftName } from '../assistants/model/draft.ts';
import { isObject, type JsonObject } from '../assistants/model/json.ts';
import { type SchemaRow, toRows } from '../assistants/model/schema-rows.ts';
import type { Tool } from '../assistants/queries.ts';
import { StatusPill } from '../calls/status-pill.tsx';
import { exampleArguments } from './example-arguments.ts';

/** The longest timeout of a tool, and a little more. */
const DEADLINE_MS = 315_000;

/** Calls the endpoint of a stored tool once, as a call would, with arguments of the person. */
export function TryTool({ tool }: { tool: Tool }) {
  const example = useMemo(() => toTyped(exampleArguments(tool.parameters)), [tool.parameters]);
  const draft = useDraft(tryDraftName(tool.agent_id, tool.id), example);
  const { args, text } = draft.value;
  const rows = toRows(tool.parameters)?.filter(({ type }) => type !== 'array' && type !== 'object');
  const isForm = rows !== undefined && rows.length === Object.keys(args).length;
  const typed = isForm ? args : parse(text);
  const run = useMutation({
    mutationFn: () =>
      api.tools.test(
        { agent_id: tool.agent_id, tool_id: tool.id, arguments: typed ?? {} },
        { retries: 0, deadlineMs: DEADLINE_MS },
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    run.mutate();
  };
  return (
    <Stack gap="md">
      <Alert color="gray" variant="light">
        {tool.http_method} {tool.endpoint_url} is really called, with the stored headers. The request carries
        x-test-call: true, so that your server can tell it from a call.
      </Alert>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <DraftNote draft={draft} />
          {isForm ? (
            rows.map((row) => (
              <Argument
                key={row.name}
                row={row}
                value={args[row.name]}
                onChange={(value) => draft.change({ args: { ...args, [row.name]: value } })}
              />
            ))
          ) : (
            <JsonEditor
              label="Arguments"
              value={text}
              onChange={(next) => draft.change({ text: next })}
              minHeight={140}
            />
          )}
          {rows?.length === 0 && isForm && (
            <Text size="sm" c="dimmed">
              This tool has no arguments.
            </Text>
          )}
          <Group justify="flex-end">
            <RoleGate minimum="developer">
              <Button type="submit" loading={run.isPending} disabled={typed === undefined}>
                Call the endpoint
              </Button>
            </RoleGate>
          </Group>
        </Stack>
      </form>
      {run.isError && <ErrorNote error={run.error} />}
      {run.data && <Outcome outcome={run.data} />}
    </Stack>
  );
}

/** As a form has them, and as a text. */
function toTyped(args: JsonObject): { args: JsonObject; text: string } {
  return { args, text: JSON.stringify(args, null, 2) };
}

type OutcomeProps = {
  outcome: { result: unknown; error: string | null; status_code: number | null; duration_ms: number };
};

function Outcome({ outcome }: OutcomeProps) {
  const { result, error, status_code: status, duration_ms: duration } = outcome;
  return (
    <Stack gap="xs" aria-live="polite">
      <Group gap="xs">
        <StatusPill tone={error === null ? 'good' : 'bad'}>
          {error === null ? 'Succeeded' : 'Failed'}
        </StatusPill>
        <Text size="sm" c="dimmed">
          {status === null ? 'No response' : `HTTP ${status}`} · {duration.toLocaleString('en')} ms
        </Text>
      </Group>
      {duration > 10_000 && (
        <Alert color="yellow">More than ten seconds: in a call the human would wait that long.</Alert>
      )}
      {error === null ? (
        <JsonView value={result} label="Result" />
      ) : (
        <Alert color="red" title="The assistant would be told">
          {error}
        </Alert>
      )}
    </Stack>
  );
}

type ArgumentProps = { row: SchemaRow; value: unknown; onChange(value: unknown): void };

function Argument({ row: { name, type, description, choices, required }, value, onChange }: ArgumentProps) {
  const common = { label: name, description: description || undefined, withAsterisk: required };
  if (type === 'boolean')
    return (
      <Switch
        label={name}
        description={description}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  if (type === 'number' || type === 'integer')
    return (
      <NumberInput
        {...common}
        allowDecimal={type === 'number'}
        value={typeof value === 'number' ? value : ''}
        onChange={(next) => onChange(typeof next === 'number' ? next : undefined)}
      />
    );
  if (choices.length > 0)
    return (
      <Select
        {...common}
        data={choices}
        value={typeof value === 'string' ? value : null}
        onChange={(next) => onChange(next ?? undefined)}
      />
    );
  return (
    <TextInput
      {...common}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
