import { z } from 'zod';

// Fields that the entries of SPEECH_PROVIDERS and LIVE_MODELS have in common.

/** A key as headers carry it. Files often end it with a line break. */
export const apiKey = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]+$/, 'must have printable ASCII characters only');

/** Without a trailing slash. */
export const baseUrl = z.url({ protocol: /^https?$/ }).transform((value) => value.replace(/\/+$/, ''));

export const nameExcept = (reserved: readonly string[]) =>
  z
    .string()
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
      'must have letters, digits, dots, dashes and underscores only',
    )
    .refine((name) => !reserved.includes(name), `must not be ${reserved.join(' or ')}`);

export function checkUniqueNames(list: readonly { name: string }[], ctx: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [i, { name }] of list.entries()) {
    if (seen.has(name)) ctx.addIssue({ code: 'custom', path: [i, 'name'], message: 'must be unique' });
    seen.add(name);
  }
}
