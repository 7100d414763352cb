import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { ownPassword, secondFactorCode } from '../shapes/dashboard.ts';
import { isoMillis } from '../shapes/primitives.ts';

const route = { service: 'gateway', access: 'session', tag: 'Dashboard', envelope: 'data' } as const;
const PATH = '/dashboard/api/second-factor';

const recoveryCodes = z.object({
  recovery_codes: z
    .array(z.string())
    .describe(
      'Ten recovery codes for when the app is unavailable. Each is valid once; they are returned only once',
    ),
});
const ONCE =
  ' `Idempotency-Key` is not supported, because the secrets in the response are not stored in plain text.';
const both = z.object({ password: ownPassword, code: secondFactorCode });
const exampleOfBoth = { password: 'correct horse battery staple', code: '287082' };

export const getSecondFactor = defineEndpoint({
  ...route,
  id: 'getSecondFactor',
  method: 'GET',
  path: PATH,
  status: 200,
  response: z.object({
    is_enabled: z.boolean().describe('Whether signing in requires a code'),
    enabled_at: isoMillis.nullable().describe('When it was enabled; null while it is not'),
    recovery_codes_left: z.number().int().describe('Unused recovery codes'),
  }),
  errors: [],
  summary: 'Get your second factor',
  description: 'The second factor is an authenticator app (TOTP, RFC 6238), for accounts with a password.',
});

export const beginSecondFactor = defineEndpoint({
  ...route,
  id: 'beginSecondFactor',
  method: 'POST',
  path: PATH,
  body: z.object({ password: ownPassword }),
  status: 201,
  response: z.object({
    secret: z.string().describe('Base32 secret for the app; returned only once'),
    otpauth_uri: z.string().describe('The same as a URI, for a QR code'),
  }),
  errors: ['FORBIDDEN', 'CONFLICT', 'RATE_LIMITED'],
  example: { password: 'correct horse battery staple' },
  summary: 'Start setting up a second factor',
  description:
    'The secret takes effect once a code confirms it; starting again before that creates a new secret. `FORBIDDEN` ' +
    'if the password is wrong, `CONFLICT` if a second factor is already enabled.' +
    ONCE,
});

export const enableSecondFactor = defineEndpoint({
  ...route,
  id: 'enableSecondFactor',
  method: 'POST',
  path: `${PATH}/confirm`,
  body: z.object({ code: secondFactorCode }),
  status: 201,
  response: recoveryCodes,
  errors: ['FORBIDDEN', 'CONFLICT', 'RATE_LIMITED'],
  example: { code: '287082' },
  summary: 'Enable the second factor with a code',
  description: `From now on signing in requires a code. \`FORBIDDEN\` if the code is wrong.${ONCE}`,
});

export const renewRecoveryCodes = defineEndpoint({
  ...route,
  id: 'renewRecoveryCodes',
  method: 'POST',
  path: `${PATH}/recovery-codes`,
  body: both,
  status: 201,
  response: recoveryCodes,
  errors: ['FORBIDDEN', 'RATE_LIMITED'],
  example: exampleOfBoth,
  summary: 'Create new recovery codes',
  description: `The old ones become invalid. \`FORBIDDEN\` if the password or the code is wrong.${ONCE}`,
});

export const disableSecondFactor = defineEndpoint({
  ...route,
  id: 'disableSecondFactor',
  method: 'POST',
  path: `${PATH}/disable`,
  body: both,
  status: 204,
  envelope: 'none',
  errors: ['FORBIDDEN', 'RATE_LIMITED'],
  example: exampleOfBoth,
  summary: 'Disable the second factor',
  description:
    '`FORBIDDEN` if the password or the code is wrong. If both the app and the recovery codes are lost, the ' +
    'operator can remove the second factor.',
});
