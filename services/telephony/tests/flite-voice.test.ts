import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);

/** Speaks a line in a separate process whose PATH this test controls. */
const SAY = `
  import { createFliteVoice } from './src/carriers/simulator/recording/flite-voice.ts';
  import { createLogger } from '@parley/kit/log';
  const voice = createFliteVoice(createLogger({ service: 'voice', level: 'info' }));
  const line = 'My card is lost in Paris' + '!'.repeat(2_000);
  const { signal } = new AbortController();
  const samples = await voice(line, 'user', { seconds: 1, signal });
  console.log(samples.length > 0 ? 'something was said' : 'silence');`;

describe('a voice whose program fails', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-flite-'));
    const program = join(folder, 'flite');
    const script = [
      '#!/bin/bash',
      '[ "$1" = -lv ] && exit',
      `echo "$@" > ${folder}/arguments`,
      `wc -c < "\${@: -3:1}" > ${folder}/length`,
      `ls /proc/self/fd/ -l | grep -c 'parley-.*(deleted)' > ${folder}/nameless`,
      'exit 3',
    ];
    await writeFile(program, script.join('\n'));
    await chmod(program, 0o755);
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('is replaced by tones, and the log shows why without the spoken text', async () => {
    const options = ['--conditions=source', '--import', 'tsx', '--input-type=module', '-e', SAY];
    const { stdout } = await run(process.execPath, options, {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { ...process.env, NODE_OPTIONS: '', PATH: `${folder}${delimiter}${process.env.PATH}` },
    });
    expect(stdout).toContain('something was said');
    expect(stdout).toContain('"exit":3');
    expect(stdout).not.toContain('Paris');
    const heard = await readFile(join(folder, 'arguments'), 'utf8');
    expect(heard).not.toContain('Paris');
    // What can be heard in a second.
    expect(Number(await readFile(join(folder, 'length'), 'utf8'))).toBe(80);
    // A worker that is killed leaves no words on the disk, where an erasure would not find them.
    expect(Number(await readFile(join(folder, 'nameless'), 'utf8'))).toBe(2);
  });
});
