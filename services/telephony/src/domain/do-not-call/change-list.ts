import { notFound } from '@parley/kit/errors';
import type { Idempotency } from '@parley/kit/idempotency';
import type { DoNotCallDeps } from './ports.ts';

type Addition = { workspaceId: string; idempotency: Idempotency; phoneNumbers: readonly string[] };

export async function addToDoNotCall(
  { doNotCall, transact, clock }: DoNotCallDeps,
  { workspaceId, idempotency, phoneNumbers }: Addition,
): Promise<{ added: number }> {
  return transact(async (tx) => {
    const added = await doNotCall.add(tx, workspaceId, phoneNumbers, clock.now());
    return idempotency.answer(tx, { added });
  });
}

export async function removeFromDoNotCall(
  { doNotCall }: Pick<DoNotCallDeps, 'doNotCall'>,
  workspaceId: string,
  phoneNumber: string,
): Promise<void> {
  if (!(await doNotCall.remove(workspaceId, phoneNumber))) throw notFound('Phone number');
}
