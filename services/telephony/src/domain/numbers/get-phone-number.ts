import { notFound } from '@parley/kit/errors';
import { toPhoneNumberAnswer } from './phone-number.ts';
import type { NumberStore } from './ports.ts';

export async function getPhoneNumber(
  { numbers }: { numbers: NumberStore },
  workspaceId: string,
  id: string,
): Promise<ReturnType<typeof toPhoneNumberAnswer>> {
  const number = await numbers.find(workspaceId, id);
  if (!number) throw notFound('Phone number');
  return toPhoneNumberAnswer(number);
}
