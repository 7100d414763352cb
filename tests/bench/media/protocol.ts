export const HOST = '127.0.0.1';

/** Sockets alone, calls, or calls that are recorded. */
export type Kind = 'sockets' | 'calls' | 'recorded';

/** What the near end tells of its measured time. */
export type Report = {
  /** Share of one core. */
  cpu: number;
  rssMib: number;
  /** Packets of the far end that never arrived. */
  lostHere: number;
  /** Frames that had to be concealed. */
  concealedFrames: number;
};
