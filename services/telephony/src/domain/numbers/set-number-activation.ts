import type { Transact } from '../ports.ts';
import { type ChangeDeps, changeNumber } from './change-number.ts';

type Input = { id: string; isActive: boolean; requestId: string };

/** The operator's switch, over all workspaces (D2.4, D5.3): only an active number can place calls. */
export async function setNumberActivation(
  deps: ChangeDeps & { transact: Transact },
  { id, isActive, requestId }: Input,
): Promise<{ phone_number_id: string; is_active: boolean }> {
  return deps.transact(async (tx) => {
    const held = await deps.numbers.lock(tx, id);
    const number =
      held?.isActive === isActive ? held : await changeNumber(tx, deps, held, { isActive }, requestId);
    return { phone_number_id: number.id, is_active: number.isActive };
  });
}
