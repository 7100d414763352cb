import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import {
  createOpusCodec,
  createRecorder,
  createResampler,
  decodeALaw,
  decodeMuLaw,
  encodeALaw,
  encodeMuLaw,
  repairRecording,
} from '../../src/index.ts';
import { shareOf, tone } from '../../src/testing/index.ts';
import { temporaryFolder } from '../folder.ts';
import { writeOggOpus } from './ogg.ts';
import { itWith, run, toBytes, toSamples } from './programs.ts';

const ALL_BYTES = Uint8Array.from({ length: 256 }, (_, n) => n);
const ALL_SAMPLES = Int16Array.from({ length: 65_536 }, (_, n) => n - 32_768);
const RAW_PCM = ['-t', 'raw', '-r', '8000', '-c', '1', '-e', 'signed', '-b', '16', '-L'];
const folder = temporaryFolder();
const laws = [
  { name: 'µ-law', sox: 'ul', ffmpeg: 'mulaw', encode: encodeMuLaw, decode: decodeMuLaw },
  { name: 'A-law', sox: 'al', ffmpeg: 'alaw', encode: encodeALaw, decode: decodeALaw },
] as const;

describe('G.711 compared with other implementations', () => {
  for (const { name, sox, ffmpeg, encode, decode } of laws) {
    itWith('sox', `${name}: all codes decode to the same samples`, () => {
      const raw = ['-t', sox, '-r', '8000', '-c', '1', '-'];
      expect([...toSamples(run('sox', [...raw, ...RAW_PCM, '-'], ALL_BYTES))]).toEqual([
        ...decode(ALL_BYTES),
      ]);
    });

    itWith('ffmpeg', `${name}: all codes decode to the same samples`, () => {
      const args = ['-v', 'error', '-f', ffmpeg, '-ar', '8000', '-ac', '1', '-i', '-', '-f', 's16le', '-'];
      expect([...toSamples(run('ffmpeg', args, ALL_BYTES))]).toEqual([...decode(ALL_BYTES)]);
    });

    itWith(
      'sox',
      `${name}: samples encode to the same code, or to its neighbor where roundings differ`,
      () => {
        const coded = run('sox', ['-D', ...RAW_PCM, '-', '-t', sox, '-'], toBytes(ALL_SAMPLES));
        const ours = decode(encode(ALL_SAMPLES));
        const theirs = decode(coded);
        const worse = ALL_SAMPLES.filter((sample, n) => {
          const [own = 0, other = 0] = [ours[n], theirs[n]];
          // Neighboring codes are at most 1/16 of the level apart, plus the smallest step.
          return Math.abs(own - other) > Math.abs(sample) / 16 + 16;
        });
        expect(theirs).toHaveLength(ALL_SAMPLES.length);
        expect(worse).toHaveLength(0);
      },
    );
  }
});

describe('Opus compared with other implementations', () => {
  itWith('opusdec', 'our packets decode to what we encoded', async () => {
    const codec = await createOpusCodec({ sampleRate: 24_000 });
    const signal = tone(440, 1_000, 24_000);
    const packets = Array.from({ length: 50 }, (_, n) =>
      codec.encode(signal.subarray(n * 480, (n + 1) * 480)),
    );
    codec.close();
    const path = join(folder, 'ours.opus');
    writeFileSync(path, writeOggOpus(packets));
    const decoded = toSamples(
      run('opusdec', ['--quiet', '--rate', '48000', '--force-wav', path, '-']).subarray(44),
    );
    expect(decoded.length).toBeGreaterThan(47_000);
    expect(shareOf(440, decoded.subarray(9_600, 38_400), 48_000)).toBeGreaterThan(0.95);
  });
});

describe('resampling compared with another implementation', () => {
  itWith('sox', 'differs from sox by less than -60 dB in the band of speech', () => {
    const input = Int16Array.from({ length: 16_000 }, (_, n) =>
      [300, 700, 1_900, 3_100].reduce(
        (sum, hz) => sum + 4_000 * Math.sin((2 * Math.PI * hz * n) / 16_000),
        0,
      ),
    );
    const resampler = createResampler(16_000, 8_000);
    const ours = resampler.process(input);
    const from = ['-t', 'raw', '-r', '16000', '-c', '1', '-e', 'signed', '-b', '16', '-'];
    const theirs = toSamples(run('sox', ['-D', ...from, ...RAW_PCM, '-', 'rate', '-v'], toBytes(input)));
    const delay = Math.round((resampler.delayMs * 8_000) / 1_000);
    const differences = ours
      .subarray(1_000 + delay, 7_000 + delay)
      .map((sample, n) => sample - (theirs[1_000 + n] ?? 0));
    const peak = differences.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    expect(peak).toBeLessThanOrEqual(16);
  });
});

describe('recordings read by other programs', () => {
  itWith('sox', 'are read completely, also unclosed ones', async () => {
    const path = join(folder, 'call.wav');
    const options = { path, sampleRate: 8_000, startedAtMs: 0, onError: () => undefined };
    const recorder = await createRecorder(options);
    for (let n = 0; n < 100; n += 1) {
      recorder.left({ samples: tone(500, 20, 8_000), sampleRate: 8_000, atMs: n * 20, source: 'audio' });
    }
    await recorder.close();
    expect(run('sox', ['--i', '-D', path]).toString().trim()).toBe('2.000000');
    expect(run('sox', ['--i', '-c', path]).toString().trim()).toBe('2');
    const left = toSamples(run('sox', [path, ...RAW_PCM, '-', 'remix', '1']));
    expect(shareOf(500, left, 8_000)).toBeGreaterThan(0.99);

    // Reopening writes the header of a file in progress.
    const continued = await createRecorder(options);
    const unclosed = toSamples(run('sox', ['--ignore-length', path, ...RAW_PCM, '-', 'remix', '1']));
    expect(unclosed).toHaveLength(16_000);
    await continued.close();
    await repairRecording(path);
    expect(run('sox', ['--i', '-D', path]).toString().trim()).toBe('2.000000');
  });
});
