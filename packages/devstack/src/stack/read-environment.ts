import { Problem } from '../terminal/problem.ts';
import { type EnvironmentFile, environmentFile } from './environment.ts';
import { inStack } from './folders.ts';
import { readJsonFile } from './json-file.ts';

/** The stack as it was last started from this folder; a `Problem` when it never was. */
export function readEnvironment(): EnvironmentFile {
  const found = readJsonFile(inStack('env.json'), environmentFile);
  if (found) return found;
  throw new Problem('Parley has never been started from this folder. Start it with: npm start');
}
