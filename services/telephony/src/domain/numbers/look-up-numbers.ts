import type {
  findPhoneNumber as findContract,
  ResponseOf,
  getDialRates as ratesContract,
} from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import type { NumberStore } from './ports.ts';

type Deps = { numbers: NumberStore };

/** A number of the workspace, as other services refer to it. */
export async function findPhoneNumber(
  { numbers }: Deps,
  workspaceId: string,
  phoneNumber: string,
): Promise<ResponseOf<typeof findContract>> {
  const number = await numbers.findByNumber(workspaceId, phoneNumber);
  if (!number) throw notFound('Phone number');
  return {
    phone_number_id: number.id,
    phone_number: number.phoneNumber,
    is_active: number.isActive,
    max_cps: number.maxCps,
  };
}

/** How fast numbers may dial, over all workspaces; those that are not there are missing. */
export async function getDialRates(
  { numbers }: Deps,
  ids: readonly string[],
): Promise<ResponseOf<typeof ratesContract>> {
  const found = await numbers.findMany(ids);
  return found.map(({ id, maxCps, isActive }) => ({
    phone_number_id: id,
    max_cps: maxCps,
    is_active: isActive,
  }));
}
