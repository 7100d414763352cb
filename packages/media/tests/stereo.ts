import { readFileSync } from 'node:fs';

const HEADER_BYTES = 44;

/** Both channels of a recording's file. */
export function readStereo(path: string): { left: Int16Array; right: Int16Array } {
  const bytes = readFileSync(path);
  const frames = Math.floor((bytes.length - HEADER_BYTES) / 4);
  const channel = (offset: number): Int16Array =>
    Int16Array.from({ length: frames }, (_, n) => bytes.readInt16LE(HEADER_BYTES + n * 4 + offset));
  return { left: channel(0), right: channel(2) };
}
