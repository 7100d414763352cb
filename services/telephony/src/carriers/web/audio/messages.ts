import { z } from 'zod';

/** Maximum key presses of a call: each one is stored. */
const MAX_DIGITS = 200;
const MAX_MESSAGE_CHARACTERS = 1_024;

const message = z.object({ type: z.literal('dtmf'), digits: z.string().regex(/^[0-9*#A-D]{1,32}$/) });

/** Reads messages of a browser; invalid ones are ignored. */
export function createMessageReader(onKeys: (digits: string) => void) {
  let left = MAX_DIGITS;
  return (text: string): void => {
    if (text.length > MAX_MESSAGE_CHARACTERS) return;
    const { data } = message.safeParse(parsed(text));
    if (!data || data.digits.length > left) return;
    left -= data.digits.length;
    onKeys(data.digits);
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
