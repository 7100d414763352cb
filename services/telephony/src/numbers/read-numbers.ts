import type {
  BodyOf,
  findPhoneNumber as findContract,
  listPhoneNumbers as listContract,
  ResponseOf,
  getDialRates as ratesContract,
  walkPhoneNumbers as walkContract,
} from '@parley/contracts';
import { notFound } from '@parley/kit/errors';
import { type ListPage, toListPage } from '@parley/kit/http';
import type { NumberStore } from './numbers.store.ts';
import { toPhoneNumberAnswer, toPhoneNumberUpdated } from './phone-number.ts';

type Answer = ReturnType<typeof toPhoneNumberAnswer>;
type Deps = { numbers: NumberStore };

export async function getPhoneNumber({ numbers }: Deps, workspaceId: string, id: string): Promise<Answer> {
  const number = await numbers.find(workspaceId, id);
  if (!number) throw notFound('Phone number');
  return toPhoneNumberAnswer(number);
}

export async function listPhoneNumbers(
  { numbers }: Deps,
  workspaceId: string,
  { page, size, search }: BodyOf<typeof listContract>,
): Promise<ListPage<Answer>> {
  const slice = { search, limit: size, offset: (page - 1) * size };
  const { items, total } = await numbers.page(workspaceId, slice);
  return toListPage({ page, size }, { items: items.map(toPhoneNumberAnswer), total });
}

/** For other services: a number of the workspace. */
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

/** For other services: how fast numbers of any workspace may dial; unknown ids are omitted. */
export async function getDialRates(
  { numbers }: Deps,
  ids: readonly string[],
): Promise<ResponseOf<typeof ratesContract>> {
  const rates = await numbers.dialRates(ids);
  return rates.map(({ id, maxCps, isActive }) => ({
    phone_number_id: id,
    max_cps: maxCps,
    is_active: isActive,
  }));
}

/** For other services: the numbers of all workspaces, to repair copies. */
export async function walkNumbers(
  { numbers }: Deps,
  { after, up_to: upTo, limit }: BodyOf<typeof walkContract>,
): Promise<ResponseOf<typeof walkContract>> {
  const found = await numbers.walk({ after, upTo, limit });
  return found.map((number) => ({ ...toPhoneNumberUpdated(number), workspace_id: number.workspaceId }));
}
