import type { Sql } from '@parley/kit/db';
import { notFound } from '@parley/kit/errors';
import type { Transact } from '../ports.ts';
import type { Assistant } from './assistant.ts';
import type { AssistantStore } from './ports.ts';
import type { Turns } from './turns.ts';

/** What whoever changes an assistant, or one of its tools, works with. */
export type HoldDeps = { transact: Transact; assistants: AssistantStore; turns: Turns };

/**
 * Runs `work` in a transaction that holds the assistant until its commit, so that no other change comes between what
 * it reads and what it writes. `NOT_FOUND` where the workspace has no such assistant; `CONFLICT` when its turn doesn't
 * come in time.
 */
export function holdAssistant<R>(
  { transact, assistants, turns }: HoldDeps,
  { workspaceId, id }: { workspaceId: string; id: string },
  work: (tx: Sql, held: Assistant) => Promise<R>,
): Promise<R> {
  return turns(`${workspaceId} ${id.toLowerCase()}`, () =>
    transact(async (tx) => {
      const held = await assistants.lock(tx, workspaceId, id);
      if (!held) throw notFound('Assistant');
      return work(tx, held);
    }),
  );
}
