import { queryOptions } from '@tanstack/react-query';
import { api } from '../../app/client.ts';

export type ApiKey = Awaited<ReturnType<typeof api.keys.list>>['items'][number];

/** What a person enters about a key; empty fields have the default. */
export type KeyForm = {
  name: string;
  agentIds: string[];
  readOnly: boolean;
  networks: string[];
  origins: string[];
  callsPerMinute: number | string;
  callsPerMinutePerAddress: number | string;
  maxLiveCalls: number | string;
  maxCallDuration: number | string;
  /** Empty: any. */
  variables: string[];
};

export const EMPTY_FORM: KeyForm = {
  name: '',
  agentIds: [],
  readOnly: false,
  networks: [],
  origins: [],
  callsPerMinute: '',
  callsPerMinutePerAddress: '',
  maxLiveCalls: '',
  maxCallDuration: '',
  variables: [],
};

export const keyQuery = (id: string) =>
  queryOptions({
    queryKey: ['keys', id],
    queryFn: ({ signal }): Promise<ApiKey> => api.keys.get(id, { signal }),
  });

/** Of its settings in this browser's storage. */
export const keyDraftName = (id: string): string => `keys/${id}`;

export function formOf(key: ApiKey): KeyForm {
  return {
    name: key.name,
    agentIds: key.agent_ids ?? [],
    readOnly: key.read_only,
    networks: key.allowed_networks ?? [],
    origins: key.allowed_origins ?? [],
    callsPerMinute: key.calls_per_minute ?? '',
    callsPerMinutePerAddress: key.calls_per_minute_per_address ?? '',
    maxLiveCalls: key.max_live_calls ?? '',
    maxCallDuration: key.max_call_duration ?? '',
    variables: key.variables ?? [],
  };
}

const listOrNull = (values: string[]) => (values.length > 0 ? values : null);
const numberOrNull = (value: number | string) => (value === '' ? null : Number(value));

/** The settings that a type of key has, as the API wants them. */
export function settingsOf(form: KeyForm, type: ApiKey['type']) {
  const shared = { name: form.name.trim(), agent_ids: listOrNull(form.agentIds) };
  if (type === 'private')
    return { ...shared, read_only: form.readOnly, allowed_networks: listOrNull(form.networks) };
  return {
    ...shared,
    allowed_origins: listOrNull(form.origins),
    calls_per_minute: numberOrNull(form.callsPerMinute),
    calls_per_minute_per_address: numberOrNull(form.callsPerMinutePerAddress),
    max_live_calls: numberOrNull(form.maxLiveCalls),
    max_call_duration: numberOrNull(form.maxCallDuration),
    variables: listOrNull(form.variables),
  };
}
