import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFlite } from '@parley/speech';

/** What a fake microphone plays, in order: silence in milliseconds, and sentences. */
export async function microphoneFile(
  script: readonly (number | string)[],
): Promise<{ path: string; remove(): Promise<void> }> {
  const flite = createFlite();
  const pieces: Int16Array[] = [];
  for (const part of script) {
    if (typeof part === 'number') pieces.push(new Int16Array((flite.sampleRate * part) / 1_000));
    else {
      const words = (async function* () {
        yield part;
      })();
      const options = { voiceId: 'rms', language: 'en-US', signal: new AbortController().signal };
      for await (const chunk of flite.speak(words, options)) pieces.push(chunk);
    }
  }
  const folder = await mkdtemp(join(tmpdir(), 'parley-microphone-'));
  const path = join(folder, 'microphone.wav');
  await writeFile(path, wavOf(pieces, flite.sampleRate));
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
}

function wavOf(pieces: readonly Int16Array[], sampleRate: number): Buffer {
  const data = Buffer.concat(
    pieces.map((piece) => Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)),
  );
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}
