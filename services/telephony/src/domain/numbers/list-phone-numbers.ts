import type { BodyOf, listPhoneNumbers as contract } from '@parley/contracts';
import { type ListAnswer, toListPage } from '@parley/kit/http';
import { toPhoneNumberAnswer } from './phone-number.ts';
import type { NumberStore } from './ports.ts';

export async function listPhoneNumbers(
  { numbers }: { numbers: NumberStore },
  workspaceId: string,
  { page, size, search }: BodyOf<typeof contract>,
): Promise<ListAnswer<ReturnType<typeof toPhoneNumberAnswer>>> {
  const { items, total } = await numbers.page(workspaceId, {
    search,
    limit: size,
    offset: (page - 1) * size,
  });
  return toListPage({ page, size }, { items: items.map(toPhoneNumberAnswer), total });
}
