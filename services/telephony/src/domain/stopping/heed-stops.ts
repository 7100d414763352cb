import type { Switchboard } from '../workers/switchboard.ts';

export type HeedStopsDeps = {
  /** This worker's calls that a client wants ended and that aren't over. */
  findStopped(workerId: string): Promise<string[]>;
  switchboard: Pick<Switchboard, 'stop'>;
  workerId: string;
};

/** Ends those of this worker's calls that a client wants ended; asked again until they are over. */
export async function heedStops({ findStopped, switchboard, workerId }: HeedStopsDeps): Promise<boolean> {
  switchboard.stop(await findStopped(workerId));
  return false;
}
