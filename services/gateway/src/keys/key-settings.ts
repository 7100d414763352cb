import { type KeySettings, someKeySettings } from '@parley/contracts';
import type { KeyScope } from '@parley/kit/http';
import type { KeyType } from './key-format.ts';

export type PublicKeyDefaults = {
  calls_per_minute: number;
  calls_per_minute_per_address: number;
  max_live_calls: number;
  max_call_duration: number;
};

const UNLIMITED: KeySettings = {
  agent_ids: null,
  allowed_origins: null,
  calls_per_minute: null,
  calls_per_minute_per_address: null,
  max_live_calls: null,
  max_call_duration: null,
  variables: null,
  read_only: false,
  allowed_networks: null,
};

/** The effective settings: the key's own, completed with the defaults of its type. */
export function settingsOf(type: KeyType, row: unknown, defaults: PublicKeyDefaults): KeySettings {
  const own = Object.entries(someKeySettings.parse(row)).filter(([, value]) => value !== null);
  return { ...UNLIMITED, ...(type === 'public' ? defaults : {}), ...Object.fromEntries(own) };
}

/** The restrictions that the services enforce; undefined: none. */
export function scopeOf(type: KeyType, settings: KeySettings): KeyScope | undefined {
  const { agent_ids: agentIds, read_only: readOnly, variables } = settings;
  const scope: KeyScope = {
    ...(readOnly ? { readOnly } : {}),
    ...(agentIds ? { agentIds } : {}),
    ...(type === 'public'
      ? {
          webCalls: {
            maxLiveCalls: settings.max_live_calls ?? 0,
            maxDurationSeconds: settings.max_call_duration ?? 0,
            ...(variables ? { variables } : {}),
          },
        }
      : {}),
  };
  return Object.keys(scope).length > 0 ? scope : undefined;
}
