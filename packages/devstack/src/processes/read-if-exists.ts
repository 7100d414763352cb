import { readFile } from 'node:fs/promises';
import { errorCode } from './error-code.ts';

/** The text of a file; undefined if there is none. */
export async function readIfExists(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
