import { type TurnLatency as StoredLatency, turnLatency } from '@parley/contracts';
import type { TurnLatency } from './ports.ts';

/** As it is stored with the turn, and read by clients [calls.21]. */
export function toStoredLatency({ endOfTurnMs, firstTokenMs, firstAudioMs }: TurnLatency): StoredLatency {
  return { end_of_turn_ms: endOfTurnMs, first_token_ms: firstTokenMs, first_audio_ms: firstAudioMs };
}

/** Undefined: the turn has none. */
export function fromStoredLatency(stored: unknown): TurnLatency | undefined {
  const { success, data } = turnLatency.safeParse(stored);
  if (!success) return undefined;
  const { end_of_turn_ms: endOfTurnMs, first_token_ms: firstTokenMs, first_audio_ms: firstAudioMs } = data;
  return { endOfTurnMs, firstTokenMs, firstAudioMs };
}
