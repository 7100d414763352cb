import type { BodyOf, walkPhoneNumbers as contract, ResponseOf } from '@parley/contracts';
import { type PhoneNumber, toPhoneNumberUpdated } from './phone-number.ts';

/** Numbers of any workspace in the order of their ids, above `after`, up to and with `upTo`. */
export type NumberWalk = (range: {
  after: string | null;
  upTo: string | null;
  limit: number;
}) => Promise<PhoneNumber[]>;

/** The numbers as others copy them. */
export async function walkNumbers(
  { numberWalk }: { numberWalk: NumberWalk },
  { after, up_to: upTo, limit }: BodyOf<typeof contract>,
): Promise<ResponseOf<typeof contract>> {
  const numbers = await numberWalk({ after, upTo, limit });
  return numbers.map((number) => ({ ...toPhoneNumberUpdated(number), workspace_id: number.workspaceId }));
}
