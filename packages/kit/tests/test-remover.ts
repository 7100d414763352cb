import { randomUUID } from 'node:crypto';
import type { SqlClient } from '@parley/testkit';
import {
  createErasedNumbers,
  createRemover,
  type RemovalStep,
  type RemovalTarget,
  type Remover,
} from '../src/removal/index.ts';

export const newTarget = (): RemovalTarget => ({
  removalId: randomUUID(),
  workspaceId: randomUUID(),
  phoneNumber: '+14155550123',
  keepDoNotCall: false,
});

/** Erases by these steps; `timeoutMs`: of each statement. */
export function createTestRemover(sql: SqlClient, erasure: RemovalStep[], timeoutMs = 10_000): Remover {
  return createRemover({
    transact: (work) =>
      sql.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT set_config('statement_timeout', ${String(timeoutMs)}, true)`;
        return work(tx);
      }),
    erasure,
    workspace: [],
    service: 'gateway',
    amqp: { rewriteDeadLetters: async () => ({ changed: 0, left: 0 }) },
    erasedNumbers: createErasedNumbers({ client: sql, keys: [Buffer.alloc(32, 1)] }),
  });
}
