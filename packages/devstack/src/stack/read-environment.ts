import { Problem } from '../terminal/problem.ts';
import { type EnvironmentFile, environmentFile } from './environment.ts';
import { inStack } from './folders.ts';
import { readJsonFile } from './json-file.ts';

/** The environment of the last start from this folder; throws a `Problem` if there was none. */
export function readEnvironment(): EnvironmentFile {
  const found = readJsonFile(inStack('env.json'), environmentFile);
  if (found) return found;
  throw new Problem('Parley has never been started from this folder. Start it with: npm start');
}
