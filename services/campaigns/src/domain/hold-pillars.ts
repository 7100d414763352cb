import type { Sql } from '@parley/kit/db';
import { AppError } from '@parley/kit/errors';
import type { Asker, Assistants, Pillar, Retirements, Telephony } from './ports.ts';

export type PillarDeps = {
  assistants: Assistants;
  telephony: Pick<Telephony, 'findNumber'>;
  retirements: Pick<Retirements, 'hold' | 'lift'>;
};

export type Pillars = { agentId: string; phoneNumber: string };

/** Asks the owners: the assistant and the number must be the workspace's. Gives the number's id. */
export async function checkPillars(
  { assistants, telephony }: Pick<PillarDeps, 'assistants' | 'telephony'>,
  { agentId, phoneNumber }: Pillars,
  asker: Asker,
): Promise<string> {
  if (!(await assistants.exists(agentId, asker))) throw gone('assistant');
  return (await telephony.findNumber(phoneNumber, asker)).phoneNumberId;
}

/**
 * The check that counts, in the transaction that writes the campaign: an owner retires what it deletes, so from here to
 * the commit neither can go (D3.1, D5.4). What was retired within the last minute is refused, since its deletion may be
 * on its way. A retirement that is older has been followed by its deletion or never will be: the owner knows.
 */
export async function holdPillars(
  deps: PillarDeps,
  tx: Sql,
  { phoneNumberId, ...pillars }: Pillars & { phoneNumberId: string },
  asker: Asker,
): Promise<void> {
  const retired = await deps.retirements.hold(tx, asker.workspaceId, [
    { kind: 'assistant', id: pillars.agentId },
    { kind: 'phone_number', id: phoneNumberId },
  ]);
  const leaving = retired.find(({ isFresh }) => isFresh);
  if (leaving) throw gone(leaving.kind);
  if (retired.length === 0) return;
  // A number that was connected anew meanwhile is another one.
  if ((await checkPillars(deps, pillars, asker)) !== phoneNumberId) throw gone('phone_number');
  await deps.retirements.lift(tx, asker.workspaceId, retired);
}

function gone(kind: Pillar['kind']): AppError {
  return kind === 'assistant'
    ? new AppError('AGENT_NOT_FOUND', 'The assistant is not one of this workspace')
    : new AppError('PHONE_NOT_FOUND', 'The phone number is not registered to this workspace');
}
