import { type listDoNotCall as contract, numberPart, type QueryOf } from '@parley/contracts';
import { type ListPage, toOffsetPage } from '@parley/kit/http';
import { toIsoMillis } from '@parley/kit/time';
import type { DoNotCallDeps } from './ports.ts';

type Item = { phone_number: string; created_at: string };

export async function listDoNotCall(
  { doNotCall }: Pick<DoNotCallDeps, 'doNotCall'>,
  workspaceId: string,
  { limit, offset, search }: QueryOf<typeof contract>,
): Promise<ListPage<Item>> {
  const part = search === undefined ? undefined : numberPart(search);
  // No number contains such a part.
  if (search !== undefined && part === undefined) return { items: [], total: 0, nextCursor: null };
  const { items, total } = await doNotCall.page(workspaceId, { limit, offset, part });
  const shown = items.map(({ phoneNumber, createdAt }) => ({
    phone_number: phoneNumber,
    created_at: toIsoMillis(createdAt),
  }));
  return toOffsetPage({ offset }, { items: shown, total });
}
