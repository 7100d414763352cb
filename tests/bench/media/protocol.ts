export const HOST = '127.0.0.1';

/** Sockets alone, calls, calls that are recorded, or conversations with recognition, speech and a recording. */
export type Kind = 'sockets' | 'calls' | 'recorded' | 'spoken';

/** What the near end tells of its measured time. */
export type Report = {
  /** Share of one core. */
  cpu: number;
  rssMib: number;
  /** Packets of the far end that never arrived. */
  lostHere: number;
  /** Frames that had to be concealed. */
  concealedFrames: number;
  /** Of conversations: memory of each, and turns of the human so far. */
  callMib?: number;
  turns?: number;
};
