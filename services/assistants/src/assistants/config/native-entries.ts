import {
  MAX_SMS_CHARACTERS,
  NATIVE_TOOL_NAMES,
  type NativeToolName,
  transferDestination,
} from '@parley/contracts';
import { z } from 'zod';
import { isJsonObject, type JsonObject, ownValue } from '../../json-object.ts';

const isMissing = (text: string): boolean => text.trim() === '';

const staticDestination = z
  .string()
  .refine((text) => text === '' || transferDestination.safeParse(text).success, {
    error: 'must be an E.164 number such as +14155550123, a sip: URI without headers, or empty',
    params: { code: 'invalid_format' },
  })
  .overwrite((text) => transferDestination.safeParse(text).data ?? text);

/** `nativeTools` as stored: all entries and settings; others are dropped [assistants.13]. */
export const nativeEntries = z.object({
  end_call: z.object({ enabled: z.boolean() }),
  transfer_call: z
    .object({
      enabled: z.boolean(),
      mode: z.enum(['static', 'dynamic']),
      staticDestination,
    })
    .superRefine(({ enabled, mode, staticDestination }, ctx) => {
      if (!enabled || mode !== 'static' || !isMissing(staticDestination)) return;
      const message = 'is required by an enabled static transfer';
      ctx.addIssue({ code: 'custom', path: ['staticDestination'], message, params: { code: 'required' } });
    }),
  send_sms: z
    .object({
      enabled: z.boolean(),
      smsContentType: z.enum(['prompt', 'static']),
      smsStaticMessage: z.string().max(MAX_SMS_CHARACTERS),
    })
    .superRefine(({ enabled, smsContentType, smsStaticMessage }, ctx) => {
      if (!enabled || smsContentType !== 'static' || !isMissing(smsStaticMessage)) return;
      const message = 'is required by an enabled static SMS';
      ctx.addIssue({ code: 'custom', path: ['smsStaticMessage'], message, params: { code: 'required' } });
    }),
});

export type NativeEntries = z.output<typeof nativeEntries>;

/** Defaults of a new assistant [assistants.1]. */
export const NATIVE_DEFAULTS: NativeEntries = {
  end_call: { enabled: true },
  transfer_call: { enabled: false, mode: 'static', staticDestination: '' },
  send_sms: { enabled: false, smsContentType: 'prompt', smsStaticMessage: '' },
};

/** The entries of a stored configuration. An entry that an older version did not have is disabled and has its defaults. */
export function storedEntries({ nativeTools }: JsonObject): NativeEntries {
  const stored = isJsonObject(nativeTools) ? nativeTools : {};
  const entries = NATIVE_TOOL_NAMES.map((name) => {
    const entry = ownValue(stored, name);
    return [name, { ...NATIVE_DEFAULTS[name], enabled: false, ...(isJsonObject(entry) ? entry : {}) }];
  });
  return Object.fromEntries(entries);
}

/**
 * The entries after a PATCH [assistants.14]: an entry that is not mentioned is unchanged, null disables it, otherwise only
 * the sent settings change. Null for all disables all. The result is not validated yet.
 */
export function mergeNativeEntries(stored: NativeEntries, change: unknown): unknown {
  if (change === undefined) return stored;
  if (change !== null && !isJsonObject(change)) return change;
  const entries = NATIVE_TOOL_NAMES.map((name) => [
    name,
    mergeEntry(stored[name], change === null ? null : ownValue(change, name)),
  ]);
  return Object.fromEntries(entries);
}

function mergeEntry(stored: { enabled: boolean }, change: unknown): unknown {
  if (change === undefined) return stored;
  if (change === null) return { ...stored, enabled: false };
  if (!isJsonObject(change)) return change;
  const settings = Object.entries(stored).map(([key, value]) => {
    const sent = ownValue(change, key);
    if (sent === undefined) return [key, value];
    return [key, key === 'enabled' ? (sent ?? false) : sent];
  });
  return Object.fromEntries(settings);
}

/**
 * The entries after a PUT [assistants.16]: a sent entry gets defaults for missing settings, others keep theirs. Without
 * `enabled` a tool is enabled if `toolIds` contains it. Null means missing at any level. The result is not validated yet.
 */
export function replaceNativeEntries(
  stored: NativeEntries,
  sent: unknown,
  isListed: (name: NativeToolName) => boolean,
): unknown {
  const given = sent ?? {};
  if (!isJsonObject(given)) return given;
  const entries = NATIVE_TOOL_NAMES.map((name) => {
    const entry = ownValue(given, name) ?? undefined;
    const enabled = isListed(name);
    const whole = entry === undefined ? stored[name] : NATIVE_DEFAULTS[name];
    return [name, replaceEntry({ ...whole, enabled }, entry ?? {})];
  });
  return Object.fromEntries(entries);
}

function replaceEntry(otherwise: { enabled: boolean }, entry: unknown): unknown {
  if (!isJsonObject(entry)) return entry;
  const settings = Object.entries(otherwise).map(([key, value]) => [key, ownValue(entry, key) ?? value]);
  return Object.fromEntries(settings);
}
