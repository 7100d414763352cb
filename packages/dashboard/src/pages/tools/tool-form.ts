import type { BrowserClient } from '@parley/client/browser';
import type { Tool } from '../assistants/queries.ts';
import { type HeaderRow, toHeaderRows, toHeaders } from './header-rows.tsx';
import { type SchemaState, schemaState } from './schema-editor.tsx';

export type ToolForm = {
  name: string;
  description: string;
  url: string;
  method: 'GET' | 'POST';
  headers: HeaderRow[];
  schema: SchemaState;
  timeoutSeconds: number | string;
  isBlocking: boolean;
  scheduling: 'when_idle' | 'silent';
  /** Typed; empty: unchanged. Null: return to the workspace's. */
  secret: string | null;
};

export function toForm(tool: Tool | null): ToolForm {
  return {
    name: tool?.tool_name ?? '',
    description: tool?.description ?? '',
    url: tool?.endpoint_url ?? '',
    method: tool?.http_method ?? 'POST',
    headers: toHeaderRows(tool?.headers ?? null),
    schema: schemaState(tool?.parameters ?? null),
    timeoutSeconds: tool?.timeout_seconds ?? 30,
    isBlocking: tool?.tool_behavior !== 'non_blocking',
    scheduling: tool?.result_scheduling ?? 'when_idle',
    secret: '',
  };
}

type ToolBody = Omit<Parameters<BrowserClient['tools']['createCustom']>[0], 'agent_id'>;

export function toBody(form: ToolForm): ToolBody {
  return {
    tool_name: form.name.trim(),
    description: form.description.trim() === '' ? null : form.description,
    endpoint_url: form.url.trim(),
    http_method: form.method,
    headers: toHeaders(form.headers),
    parameters: form.schema.schema,
    timeout_seconds: Number(form.timeoutSeconds),
    tool_behavior: form.isBlocking ? 'blocking' : 'non_blocking',
    result_scheduling: form.isBlocking ? null : form.scheduling,
    ...(form.secret === '' ? {} : { webhook_secret: form.secret }),
  };
}

/** What of a form may be stored in the browser. */
export function withoutSecrets(form: ToolForm): ToolForm {
  return { ...form, secret: '', headers: form.headers.map((header) => ({ ...header, value: '' })) };
}

/** Whether the endpoint goes to another scheme, host or port than the stored one. */
export function hasMoved(stored: string, url: string): boolean {
  return originOf(stored) !== originOf(url);
}

function originOf(url: string): string | undefined {
  try {
    return new URL(url).origin;
  } catch {
    return undefined;
  }
}

/** The same edits on top of a version that another person has saved; `clashes`: the fields that both have changed. */
export function ontoTheirs(
  was: ToolForm,
  form: ToolForm,
  their: ToolForm,
): { form: ToolForm; clashes: string[] } {
  const differs = (a: ToolForm, b: ToolForm) => (key: keyof ToolForm) =>
    JSON.stringify(a[key]) !== JSON.stringify(b[key]);
  const keys = Object.keys(was) as (keyof ToolForm)[];
  const mine = keys.filter(differs(was, form));
  const clashes = mine.filter(differs(was, their)).filter(differs(form, their));
  const kept = Object.fromEntries(mine.map((key) => [key, form[key]]));
  return { form: { ...their, ...kept }, clashes: clashes.map((key) => FIELD_WORDS[key]) };
}

const FIELD_WORDS: Readonly<Record<keyof ToolForm, string>> = {
  name: 'the name',
  description: 'when to use it',
  url: 'the URL',
  method: 'the method',
  headers: 'the headers',
  schema: 'the arguments',
  timeoutSeconds: 'the timeout',
  isBlocking: 'whether the conversation waits',
  scheduling: 'when the result is there',
  secret: 'the signing secret',
};
