import { MAX_SMS_CHARACTERS, NATIVE_TOOL_NAMES, transferDestination } from '@parley/contracts';
import { z } from 'zod';
import { isJsonObject, type JsonObject, ownValue } from '../json-object.ts';

const isMissing = (text: string): boolean => text.trim() === '';

const staticDestination = z
  .string()
  .refine((text) => text === '' || transferDestination.safeParse(text).success, {
    error: 'must be an E.164 number such as +14155550123, a sip: URI, or empty',
    params: { code: 'invalid_format' },
  });

/** `nativeTools` as it is stored: every entry, every setting (spec: Entries of `nativeTools`; D3.3). Others are dropped. */
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

/** Of a new assistant (D3.1). */
export const NATIVE_DEFAULTS: NativeEntries = {
  end_call: { enabled: true },
  transfer_call: { enabled: false, mode: 'static', staticDestination: '' },
  send_sms: { enabled: false, smsContentType: 'prompt', smsStaticMessage: '' },
};

/** The entries of a stored configuration; what an older version did not know yet has its default, and is off. */
export function storedEntries({ nativeTools }: JsonObject): NativeEntries {
  const stored = isJsonObject(nativeTools) ? nativeTools : {};
  const entries = NATIVE_TOOL_NAMES.map((name) => {
    const entry = ownValue(stored, name);
    return [name, { ...NATIVE_DEFAULTS[name], enabled: false, ...(isJsonObject(entry) ? entry : {}) }];
  });
  return Object.fromEntries(entries);
}

/**
 * The entries after a change as PATCH reads it (spec: PATCH /v1/assistant): a tool that isn't mentioned is left alone,
 * null switches off, and of a mentioned one only the sent settings change. Null as a whole switches all off.
 * What comes out is for `nativeEntries` to judge, wrong shapes included.
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
