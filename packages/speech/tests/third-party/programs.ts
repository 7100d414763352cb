import { spawnSync } from 'node:child_process';
import { it } from '@jest/globals';

const packages = {
  flite: 'flite',
  pocketsphinx_continuous: 'pocketsphinx pocketsphinx-en-us',
  sox: 'sox',
};
type Program = keyof typeof packages;

/** A test that needs other people's programs; skipped, with a note in its name, where one isn't installed. */
export function itWith(programs: readonly Program[], name: string, run: () => Promise<void>): void {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length === 0) it(`${name} [${programs.join(', ')}]`, run);
  else {
    const install = missing.map((program) => packages[program]).join(' ');
    it.skip(
      `${name} [NOT RUN: ${missing.join(', ')} not installed; Debian: apt-get install ${install}]`,
      run,
    );
  }
}
