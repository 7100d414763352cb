import { maskPhoneNumber, recordAudit } from '@parley/kit/audit';
import { notFound } from '@parley/kit/errors';
import type { ChangedBy } from '@parley/kit/http';
import type { Idempotency } from '@parley/kit/idempotency';
import type { DoNotCallDeps } from './ports.ts';

type Addition = { by: ChangedBy; idempotency: Idempotency; phoneNumbers: readonly string[] };

/** For a long addition the audit log contains the first numbers, masked, and the total. */
const MAX_NAMED = 10;

const listOf = ({ workspaceId }: ChangedBy) => ({ type: 'do_not_call_list', id: workspaceId });

export async function addToDoNotCall(
  { doNotCall, transact, clock }: DoNotCallDeps,
  { by, idempotency, phoneNumbers }: Addition,
): Promise<{ added: number }> {
  return transact(async (tx) => {
    const at = clock.now();
    const added = await doNotCall.add(tx, by.workspaceId, phoneNumbers, at);
    const named = phoneNumbers.slice(0, MAX_NAMED).map(maskPhoneNumber);
    const changes = { added: { to: added }, phone_numbers: { to: named } };
    if (added > 0)
      await recordAudit(tx, by, { action: 'do_not_call_list.added', target: listOf(by), changes, at });
    return idempotency.answer(tx, { added });
  });
}

export async function removeFromDoNotCall(
  { doNotCall, transact, clock }: DoNotCallDeps,
  by: ChangedBy,
  phoneNumber: string,
): Promise<void> {
  await transact(async (tx) => {
    if (!(await doNotCall.remove(tx, by.workspaceId, phoneNumber))) throw notFound('Phone number');
    const changes = { phone_numbers: { from: [maskPhoneNumber(phoneNumber)] } };
    const entry = { action: 'do_not_call_list.removed', target: listOf(by), changes, at: clock.now() };
    await recordAudit(tx, by, entry);
  });
}
