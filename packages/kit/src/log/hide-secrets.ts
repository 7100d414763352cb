const NAMES = new Set([
  'authorization',
  'cookie',
  'set-cookie',
  'x-api-key',
  'x-parley-internal',
  'password',
  'secret',
  'token',
  'apikey',
  'api_key',
  'access_token',
  'csrf_token',
  'x-csrf-token',
  'invitation_token',
  'invitation_url',
  'current_password',
  'new_password',
  'private_key',
  'public_key',
  'webhook_secret',
  'telco_auth_token',
  'sip_trunk_auth_password',
]);
const HIDDEN = '[redacted]';
const MAX_DEPTH = 4;

/**
 * Redacts values under names of secrets. The bindings of child loggers are not checked, they are ids. Copies only what it changes: pino's
 * own `redact` with wildcards costs 40 µs per line.
 */
export function hideSecrets<T extends object>(fields: T): T {
  return hide(fields, 0) as T;
}

function hide(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((item) => hide(item, depth + 1));
  if (!isPlain(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const [name, field] of Object.entries(value)) {
    const shown = NAMES.has(name.toLowerCase()) ? HIDDEN : hide(field, depth + 1);
    if (shown === field) continue;
    copy ??= { ...value };
    copy[name] = shown;
  }
  return copy ?? value;
}

/** Errors, dates and buffers have their own serializers. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
