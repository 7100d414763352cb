import { z } from 'zod';
import { parseJson } from '../../../parse-json.ts';

/** Maximum key presses of a call: each one is stored. */
const MAX_DIGITS = 200;
const MAX_MESSAGE_CHARACTERS = 1_024;

const message = z.object({ type: z.literal('dtmf'), digits: z.string().regex(/^[0-9*#A-D]{1,32}$/) });

/** Reads messages of a browser; invalid ones are ignored. */
export function createMessageReader(onKeys: (digits: string) => void) {
  let left = MAX_DIGITS;
  return (text: string): void => {
    if (text.length > MAX_MESSAGE_CHARACTERS) return;
    const { data } = message.safeParse(parseJson(text));
    if (!data || data.digits.length > left) return;
    left -= data.digits.length;
    onKeys(data.digits);
  };
}
