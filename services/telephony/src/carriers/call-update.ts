/** What a carrier may show to the human during the call. `seq` identifies a turn, which a later one with the same `seq` corrects. */
export type CallUpdate =
  /** Empty text: the turn is taken back. */
  | { type: 'turn'; seq: number; role: 'user' | 'agent'; text: string }
  | { type: 'tool'; id: string; name: string; status: 'running' | 'done' | 'failed' };
