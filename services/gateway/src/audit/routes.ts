import { listAuditLog } from '@parley/contracts';
import { type App, mount, toOffsetPage } from '@parley/kit/http';
import type { AuditLog } from './audit-log.store.ts';

export function mountAuditLog(app: App, { auditLog }: { auditLog: AuditLog }): void {
  mount(app, listAuditLog, async ({ auth, query }) => {
    const { from, to, limit, offset, ...filter } = query;
    const within = { from: from ? new Date(from) : undefined, to: to ? new Date(to) : undefined };
    const page = { limit, offset };
    return toOffsetPage(page, await auditLog.list(auth.workspaceId, { ...filter, ...within }, page));
  });
}
