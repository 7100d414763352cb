import {
  type ChangedType,
  type DashboardChange,
  MAX_CHANGES_PER_EVENT,
  type MessageData,
} from '@parley/contracts';
import { newId } from '../ids/index.ts';
import type { Lifecycle } from '../lifecycle/index.ts';
import { realTimer, toIsoMillis } from '../time/index.ts';
import type { Amqp } from './connect-amqp.ts';

/** Notes a change for pages that show the workspace live [dashboard.6]; never rejects, and may be lost. */
export type NoteChange = (workspaceId: string, change: DashboardChange) => void;

type Pending = { changes: Map<string, DashboardChange>; more: Set<ChangedType> };

const FLUSH_MS = 200;

/** Publishes the changes of each workspace together, a few times a second; repeated ones of a resource are merged. */
export function createChangeNotes(
  amqp: Pick<Amqp, 'publish' | 'canPublish'>,
  lifecycle: Lifecycle,
): NoteChange {
  const pending = new Map<string, Pending>();
  let isScheduled = false;

  const publish = async (workspaceId: string, { changes, more }: Pending): Promise<void> => {
    const data: MessageData<'changes.noted'> = { changes: [...changes.values()], more: [...more] };
    const id = newId();
    const type = 'changes.noted';
    const envelope = { id, type, occurred_at: toIsoMillis(new Date()), workspace_id: workspaceId, data };
    await amqp.publish({ id, type, payload: JSON.stringify(envelope) });
  };

  const flush = (): void => {
    isScheduled = false;
    const all = [...pending];
    pending.clear();
    if (!amqp.canPublish()) return;
    // A lost note does no harm: the next one replaces it.
    for (const [workspaceId, noted] of all) publish(workspaceId, noted).catch(() => {});
  };

  return (workspaceId, change) => {
    if (lifecycle.signal.aborted) return;
    const noted = pending.get(workspaceId) ?? { changes: new Map(), more: new Set<ChangedType>() };
    pending.set(workspaceId, noted);
    const key = `${change.type} ${change.id}`;
    if (noted.changes.size < MAX_CHANGES_PER_EVENT || noted.changes.has(key)) noted.changes.set(key, change);
    else noted.more.add(change.type);
    if (isScheduled) return;
    isScheduled = true;
    realTimer(FLUSH_MS, flush);
  };
}
