import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { emailAddress, newPassword } from '../shapes/dashboard.ts';

const route = {
  service: 'gateway',
  tag: 'Dashboard',
  method: 'POST',
  status: 204,
  envelope: 'none',
} as const;
const token = z.string().min(1).max(200).describe('Token from the mailed link');
const exampleToken = 'Zk9vYmFyQmF6UXV4Q29ycmVjdEhvcnNlQmF0dGVyeQ';

export const mailAddressProof = defineEndpoint({
  ...route,
  access: 'session',
  id: 'mailAddressProof',
  path: '/dashboard/api/address/proof',
  errors: ['FORBIDDEN', 'CONFLICT', 'RATE_LIMITED'],
  summary: 'Send a link that verifies your e-mail address',
  description:
    'The link is valid for one day. `CONFLICT` if the address is already verified, or mail is not configured. At ' +
    'most five mails per hour are sent to one address.',
});

export const confirmAddress = defineEndpoint({
  ...route,
  access: 'session',
  id: 'confirmAddress',
  path: '/dashboard/api/address/confirm',
  body: z.object({ token }),
  errors: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION_FAILED'],
  example: { token: exampleToken },
  summary: 'Verify your e-mail address with the mailed link',
  description:
    'Requires a session of the account that requested the link. Unverified accounts with the same address in other ' +
    'workspaces are merged into this one. If another account has already verified the address, this account is ' +
    'merged into that one and the session ends. `NOT_FOUND` if the link is unknown, used or expired.',
});

export const mailPasswordReset = defineEndpoint({
  ...route,
  access: 'open',
  id: 'mailPasswordReset',
  path: '/dashboard/api/password/forgot',
  body: z.object({ email: emailAddress }),
  errors: ['FORBIDDEN', 'CONFLICT', 'VALIDATION_FAILED', 'RATE_LIMITED'],
  example: { email: 'ada@example.com' },
  summary: 'Send a password reset link',
  description:
    'The response does not reveal whether the address has an account. `CONFLICT` if mail is not configured. At most ' +
    'five mails per hour are sent to one address.',
});

export const resetPassword = defineEndpoint({
  ...route,
  access: 'open',
  id: 'resetPassword',
  path: '/dashboard/api/password/reset',
  body: z.object({ token, password: newPassword }),
  errors: ['NOT_FOUND', 'FORBIDDEN', 'VALIDATION_FAILED', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  example: { token: exampleToken, password: 'correct horse battery staple' },
  summary: 'Set a new password with the mailed link',
  description:
    'Ends all sessions of the account and verifies its address; its second factor is unchanged. `NOT_FOUND` if the ' +
    'link is unknown, used or older than one hour.',
});
