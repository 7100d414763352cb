import { SpeechError } from './ports.ts';

/** More than any reply needs: it would fill the memory, the line and the transcript. */
const MAX_REPLY_MS = 10 * 60_000;
const MAX_REPLY_CHARACTERS = 20_000;

/** Throws SpeechError if a provider has sent too much for one reply, or for one turn of the human. */
export function checkReply(
  provider: string,
  { audioMs = 0, characters = 0 }: { audioMs?: number; characters?: number },
): void {
  if (audioMs > MAX_REPLY_MS) throw new SpeechError(provider, 'protocol', 'one reply is over 10 minutes');
  if (characters > MAX_REPLY_CHARACTERS)
    throw new SpeechError(provider, 'protocol', `one reply has over ${MAX_REPLY_CHARACTERS} characters`);
}
