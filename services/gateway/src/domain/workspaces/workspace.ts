import type { Clock } from '@parley/kit/time';

/** A workspace as the platform uses it, its secrets opened. */
export type Workspace = {
  id: string;
  name: string;
  /** Cents a minute (D1.10). */
  rateCents: number;
  maxLiveCalls: number;
  requestsPerMinute: number;
  /** Null: as the operator has set it for all. */
  requestBurst: number | null;
  callsPerSecond: number | null;
  callBurst: number | null;
  webhookSecret: string;
  /** Signs along until it expires, after a rotation (D8.1). */
  oldWebhookSecret: { secret: string; expiresAt: Date } | undefined;
};

export type WorkspaceSettings = Partial<
  Pick<
    Workspace,
    'rateCents' | 'maxLiveCalls' | 'requestsPerMinute' | 'requestBurst' | 'callsPerSecond' | 'callBurst'
  >
>;

/** The secrets that sign now: the current one first. */
export function signingSecrets({ webhookSecret, oldWebhookSecret }: Workspace, clock: Clock): string[] {
  const old = oldWebhookSecret && oldWebhookSecret.expiresAt > clock.now() ? [oldWebhookSecret.secret] : [];
  return [webhookSecret, ...old];
}
