import type { MessageData } from '@parley/contracts';
import type { ChangedBy } from '../http/index.ts';
import { bounded } from './changes-between.ts';

export type AuditEntry = {
  /** `<type of the target>.<past participle>`, such as `phone_number.deleted`. */
  action: string;
  /** `name` is its display name. */
  target: { type: string; id: string; name?: string | null };
  /** Field → `{from, to}`; see `changesBetween`. Never a secret. */
  changes?: Record<string, unknown>;
  /** The time of the change, by the service's clock. */
  at: Date;
};

/** An entry for storage, with bounded strings and a bounded size. */
export function newAuditRecord(by: ChangedBy, entry: AuditEntry): MessageData<'audit.recorded'> {
  const { actor, address } = by;
  return {
    action: entry.action,
    actor: { kind: actor.kind, id: actor.id, name: actor.email ?? null },
    address: address ?? null,
    target: { type: entry.target.type, id: entry.target.id, name: cut(entry.target.name ?? null) },
    changes: bounded(entry.changes ?? {}),
  };
}

function cut(name: string | null): string | null {
  return name === null ? null : name.slice(0, 255);
}
