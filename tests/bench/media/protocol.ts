export const HOST = '127.0.0.1';

/** Bare sockets, calls, recorded calls, or conversations with recognition, synthesis and a recording. */
export type Kind = 'sockets' | 'calls' | 'recorded' | 'spoken';

/** The near end's report of the measurement. */
export type Report = {
  /** Share of one core. */
  cpu: number;
  rssMib: number;
  /** Lost packets from the far end. */
  lostHere: number;
  /** Concealed frames. */
  concealedFrames: number;
  /** For conversations: memory per call, and turns of the human so far. */
  callMib?: number;
  turns?: number;
};
