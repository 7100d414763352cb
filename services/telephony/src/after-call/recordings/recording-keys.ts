/*
 * Each claim of the job that makes a call's recording stores a file of its own, so that a claim which is void by now replaces no recording, and
 * can remove what it has stored. The first one has the name of the call alone, which is what earlier versions gave to all.
 */

const KEY = /^([0-9a-f-]{36})(?:\.\d+)?\.wav$/;

/** The file of the `attempts`-th claim. */
export const keyOf = ({ call, attempts }: { call: { id: string }; attempts: number }): string =>
  attempts === 1 ? `${call.id}.wav` : `${call.id}.${attempts}.wav`;

/** The beginning of the keys of all files of the call. */
export const prefixOf = (callId: string): string => `${callId}.`;

/** The call of a file, or of the link to one. */
export const callOf = (key: string): string | undefined => KEY.exec(key)?.[1];
