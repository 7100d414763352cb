import { STORING_SERVICES } from '@parley/contracts';
import { createJobLoop } from '@parley/kit/concurrency';
import { watchKeys } from '@parley/kit/secrets';
import type { Context } from './context.ts';
import { sendMails } from './mail/send-mails.ts';
import { applyRetention } from './removals/apply-retention.ts';
import { runRemovals } from './removals/run-removals.ts';
import { SEALED_COLUMNS } from './secrets/sealed-columns.ts';
import { sessionLifeOf } from './sessions/session-life.ts';
import { measureStorage, type Storage } from './workspaces/measure-storage.ts';

const USES_EVERY_MS = 5_000;
const SWEEP_EVERY_MS = 60_000;
const REMOVALS_EVERY_MS = 500;
/** Changed settings are applied soon, all others every six hours of the stack's clock. */
const CHANGED_RETENTION_EVERY_MS = 2_000;
const RETENTION_EVERY_MS = 6 * 3_600_000;
const STORAGE_EVERY_MS = 60_000;
const MAILS_EVERY_MS = 1_000;
const DAY_MS = 86_400_000;

export function startJobs(context: Context): void {
  const { config, prisma, lifecycle, log } = context;
  watchKeys({ sql: prisma, keys: config.ENCRYPTION_KEYS, columns: SEALED_COLUMNS, log, lifecycle });
  recordUses(context);
  startRemovals(context);
  startRetention(context);
  startStorage(context);
  startMails(context);
  startSweep(context);
}

/** Deletes expired rows. */
function startSweep(context: Context): void {
  const { clock, config, lifecycle, log } = context;
  createJobLoop({
    name: 'sweep',
    everyMs: SWEEP_EVERY_MS,
    run: async () => {
      const now = clock.now();
      await context.sessionStore.sweep(now, new Date(now.getTime() - sessionLifeOf(config).idleMs));
      await context.people.sweep();
      await context.mailTokens.sweep();
      await context.signInLinks.sweep();
      await context.idempotencyStore.sweep();
      return context.auditLog.removeBefore(new Date(now.getTime() - config.AUDIT_KEEP_DAYS * DAY_MS));
    },
    lifecycle,
    log,
  });
}

/** Every replica collects; services return estimates of the last minute. */
function startStorage({ workspaces, clients, config, metrics, lifecycle, log }: Context): void {
  let last: Storage | undefined;
  metrics.gauge('parley_stored_bytes', 'Estimated storage of each service', ['service'], (gauge) => {
    for (const service of STORING_SERVICES) gauge.set({ service }, last?.bytes[service] ?? 0);
  });
  metrics.gauge(
    'parley_workspace_stored_bytes',
    'Estimated storage of the workspaces that store the most',
    ['workspace'],
    (gauge) => {
      gauge.reset();
      for (const { workspace, bytes } of last?.largest ?? []) gauge.set({ workspace }, bytes);
    },
  );
  metrics.gauge('parley_workspaces_over_quota', 'Workspaces above their storage quota', [], (gauge) =>
    gauge.set(last?.overQuota ?? 0),
  );
  createJobLoop({
    name: 'stored bytes',
    everyMs: STORAGE_EVERY_MS,
    run: async () => {
      last = await measureStorage({ workspaces, clients, config });
      return false;
    },
    lifecycle,
    log,
  });
}

/** Stores the last use of keys and sessions periodically, and when the process stops. */
function recordUses({ keyUse, sessionUse, lifecycle, log }: Context): void {
  const flush = async (): Promise<void> => {
    await keyUse.flush();
    await sessionUse.flush();
  };
  lifecycle.onStop('uses', flush);
  createJobLoop({
    name: 'uses',
    everyMs: USES_EVERY_MS,
    run: async () => {
      await flush();
      return false;
    },
    lifecycle,
    log,
  });
}

function startMails({ mails, mailer, config, ...context }: Context): void {
  const { metrics, lifecycle, log } = context;
  const ended = metrics.counter('parley_mails_total', 'Finished mails, by outcome', ['outcome']);
  const failures = metrics.counter('parley_mail_failures_total', 'Failed attempts to send a mail');
  if (!mails || !mailer) return;
  const deps = {
    ...context,
    mails,
    mailer,
    pepper: config.KEY_PEPPER[0],
    onEnd: (outcome: string) => ended.inc({ outcome }),
    onFailure: () => failures.inc(),
  };
  createJobLoop({ name: 'mails', everyMs: MAILS_EVERY_MS, run: () => sendMails(deps), lifecycle, log });
}

function startRemovals({ removals, clients, ownRemover, metrics, lifecycle, log }: Context): void {
  const completed = metrics.counter(
    'parley_removals_completed_total',
    'Completed erasures of people and deletions of workspaces',
    ['kind'],
  );
  const onCompleted = (kind: string): void => completed.inc({ kind });
  const deps = { removals, clients, ownRemover, log, onCompleted };
  createJobLoop({
    name: 'removals',
    everyMs: REMOVALS_EVERY_MS,
    run: () => runRemovals(deps),
    lifecycle,
    log,
  });
}

function startRetention({ retention, clients, metrics, clock, lifecycle, log }: Context): void {
  const removed = metrics.counter(
    'parley_retention_removed_total',
    'Records removed by the retention of their workspace',
    ['place'],
  );
  const onRemoved = (place: string, count: number): void => removed.inc({ place }, count);
  let fullRoundAtMs = 0;
  createJobLoop({
    name: 'retention',
    everyMs: CHANGED_RETENTION_EVERY_MS,
    run: async (signal) => {
      const nowMs = clock.now().getTime();
      const onlyChanged = nowMs < fullRoundAtMs;
      if (!onlyChanged) fullRoundAtMs = nowMs + RETENTION_EVERY_MS;
      await applyRetention({ retention, clients, onRemoved, log }, { onlyChanged, signal });
      return false;
    },
    lifecycle,
    log,
  });
}
