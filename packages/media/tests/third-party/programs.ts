import { spawnSync } from 'node:child_process';
import { it } from '@jest/globals';

const packages: Record<string, string> = {
  sox: 'sox',
  ffmpeg: 'ffmpeg',
  opusdec: 'opus-tools',
  tshark: 'tshark',
};

/** A test that needs a program of somebody else; skipped, with a note in its name, where it isn't installed. */
export function itWith(program: keyof typeof packages, name: string, run: () => void | Promise<void>): void {
  const isInstalled = spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
  if (isInstalled) it(`${name} [${program}]`, run);
  else
    it.skip(
      `${name} [NOT RUN: ${program} is not installed; Debian: apt-get install ${packages[program]}]`,
      run,
    );
}

/** Runs a program to its end and returns its standard output; throws with its messages if it fails. */
export function run(program: string, args: readonly string[], input?: Uint8Array): Buffer {
  const result = spawnSync(program, args, { maxBuffer: 64 * 1_024 * 1_024, ...(input && { input }) });
  if (result.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${result.stderr}`);
  return result.stdout;
}

export function toSamples(bytes: Buffer): Int16Array {
  return Int16Array.from({ length: bytes.length / 2 }, (_, n) => bytes.readInt16LE(n * 2));
}

export function toBytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
}
