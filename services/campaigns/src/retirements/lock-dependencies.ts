import type { SqlClient } from '@parley/kit/db';
import { AppError } from '@parley/kit/errors';
import type { CallContext } from '@parley/kit/http';
import type { Assistants } from '../clients/assistants.ts';
import type { Telephony } from '../clients/telephony.ts';
import type { Dependency, RetirementStore } from './retirements.store.ts';

export type DependencyDeps = {
  assistants: Assistants;
  telephony: Pick<Telephony, 'findNumber'>;
  retirements: Pick<RetirementStore, 'lock' | 'remove'>;
};

/** The assistant and number of a campaign, which their owners may delete. */
export type Dependencies = { agentId: string; phoneNumber: string };

/** Checks with their owners that both belong to the workspace. Returns the number's id. */
export async function checkDependencies(
  { assistants, telephony }: Pick<DependencyDeps, 'assistants' | 'telephony'>,
  { agentId, phoneNumber }: Dependencies,
  context: CallContext,
): Promise<string> {
  if (!(await assistants.exists(agentId, context))) throw missing('assistant');
  return (await telephony.findNumber(phoneNumber, context)).phoneNumberId;
}

/**
 * The decisive check, in the transaction that writes the campaign: owners retire a resource before they delete it, so until the
 * commit neither can be deleted [campaigns.8]. A resource that was retired within the last minute is rejected, since its deletion
 * may be in progress. After that the deletion has happened or failed, and the owner's check decides.
 */
export async function lockDependencies(
  deps: DependencyDeps,
  tx: SqlClient,
  { phoneNumberId, ...dependencies }: Dependencies & { phoneNumberId: string },
  context: CallContext,
): Promise<void> {
  const retired = await deps.retirements.lock(tx, context.workspaceId, [
    { kind: 'assistant', id: dependencies.agentId },
    { kind: 'phone_number', id: phoneNumberId },
  ]);
  const fresh = retired.find(({ isFresh }) => isFresh);
  if (fresh) throw missing(fresh.kind);
  if (retired.length === 0) return;
  // A number that was connected again in between has another id.
  if ((await checkDependencies(deps, dependencies, context)) !== phoneNumberId) throw missing('phone_number');
  await deps.retirements.remove(tx, context.workspaceId, retired);
}

export function missing(kind: Dependency['kind']): AppError {
  return kind === 'assistant'
    ? new AppError('AGENT_NOT_FOUND', 'The assistant does not belong to this workspace')
    : new AppError('PHONE_NOT_FOUND', 'The phone number is not registered to this workspace');
}
