import { expect, it } from '@jest/globals';
import { createClock } from '@parley/kit/time';
import { signingSecrets, type Workspace } from './workspaces.store.ts';

const rotatedAt = new Date('2026-01-31T08:00:00.000Z');
const hours = (count: number) => new Date(rotatedAt.getTime() + count * 3_600_000);
const workspace: Workspace = {
  id: 'w',
  name: 'Acme',
  timeZone: 'UTC',
  rateCents: 10,
  maxLiveCalls: 20,
  requestsPerMinute: 600,
  requestBurst: null,
  maxStoredMb: null,
  callsPerSecond: null,
  callBurst: null,
  suspendedAt: null,
  deletedAt: null,
  allowedDestinations: [],
  dailySpendLimitCents: null,
  createdAt: new Date(0),
  retainCallsDays: null,
  retainRecordingsDays: null,
  retainAttemptsDays: null,
  retainContactsDays: null,
  webhookSecret: 'whsec_new',
  oldWebhookSecret: { secret: 'whsec_old', expiresAt: hours(24) },
};

it.each([
  [0, ['whsec_new', 'whsec_old']],
  [23.999, ['whsec_new', 'whsec_old']],
  [24, ['whsec_new']],
])('%d hours after a rotation these secrets sign: %j [webhooks.7]', (after, secrets) => {
  const clock = { ...createClock({ rate: 1, originMs: 0 }), now: () => hours(after) };
  expect(signingSecrets(workspace, clock)).toEqual(secrets);
});
