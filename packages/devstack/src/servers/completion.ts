import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COMPLETE = 'complete';

/** Whether the server of this folder is set up completely; removes an incomplete setup, so that it can be repeated. */
export function isComplete(folder: string, data: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (existsSync(join(folder, COMPLETE))) return true;
  rmSync(data, { recursive: true, force: true });
  return false;
}

export function markComplete(folder: string): void {
  writeFileSync(join(folder, COMPLETE), '');
}
