import { describe, expect, it } from '@jest/globals';
import type { Cue } from '../../../after-call/recordings/ports.ts';
import { createCueReader } from './cue-reader.ts';
import { audiblePart } from './flite-voice.ts';
import { mix } from './mix.ts';
import { placeCues } from './place-cues.ts';
import { readPcm } from './read-pcm.ts';
import { createSimulatedRecorder } from './simulated-recorder.ts';
import { toneVoice } from './tone-voice.ts';
import type { Voice } from './voice.ts';

const { signal } = new AbortController();
const ANSWER = new Date('2026-01-31T08:00:00.000Z');
const after = (ms: number): Date => new Date(ANSWER.getTime() + ms);
const said = (role: 'user' | 'agent', ms: number, content: string) => ({
  seq: 0,
  at: after(ms),
  role,
  content,
});
const call = {
  callId: 'a',
  answeredAt: ANSWER,
  endedAt: after(10_000),
  record: [
    said('agent', 100, 'Hello'),
    said('user', 3_000, 'Hello, who is it?'),
    said('agent', 3_100, 'Ada'),
  ],
};

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

describe('placeCues', () => {
  it('lets the assistant start when its turn began, and the human end when it was heard', () => {
    expect(placeCues(call, 10_000).map(({ speaker, atMs }) => [speaker, atMs])).toEqual([
      ['agent', 100],
      ['user', 2_345],
      ['agent', 3_100],
    ]);
  });

  it('places no speech before the answer or after the end, and omits tools', () => {
    const outcome = { statusCode: null, result: null, error: null, slow: false, documents: null };
    const tool = { toolName: 't', toolType: 'custom', description: null, args: {}, outcome };
    const record = [
      said('user', 10, 'Hello'),
      { seq: 1, at: after(20), role: 'tool' as const, ...tool },
      said('agent', 12_000, 'Goodbye'),
    ];
    expect(placeCues({ ...call, record }, 10_000)).toEqual([{ speaker: 'user', atMs: 0, text: 'Hello' }]);
  });
});

describe('mix', () => {
  /** A thousand samples per letter of the text, with the value 1 for the human and 2 for the assistant. */
  const voice: Voice = async (text, speaker) =>
    new Int16Array(text.length * 1_000).fill(speaker === 'user' ? 1 : 2);
  const heard = async (cues: Cue[], frames: number) => {
    const bytes = await bytesOf(mix(cues, frames, { voice, signal }));
    expect(bytes).toHaveLength(frames * 4);
    return (ms: number) => [bytes.readInt16LE(ms * 32), bytes.readInt16LE(ms * 32 + 2)];
  };

  it('puts the human on the left and the assistant on the right, at their times', async () => {
    const at = await heard(
      [
        { speaker: 'agent', atMs: 500, text: 'aaaaaaaa' },
        { speaker: 'user', atMs: 1_200, text: 'bbbbbbbb' },
      ],
      24_000,
    );
    expect([at(0), at(499), at(500), at(1_200), at(1_499), at(1_500), at(2_199), at(2_200)]).toEqual([
      [0, 0],
      [0, 0],
      [0, 2],
      [1, 2],
      [1, 2],
      [1, 0],
      [1, 0],
      [0, 0],
    ]);
  });

  it("cuts off a line at the same speaker's next line, and at the end", async () => {
    let asked = 0;
    const counting: Voice = (...given) => {
      asked += 1;
      return voice(...given);
    };
    const cues: Cue[] = [0, 100, 200].map((atMs) => ({ speaker: 'user', atMs, text: 'x'.repeat(100) }));
    const bytes = await bytesOf(mix(cues, 4_001, { voice: counting, signal }));
    expect(bytes).toHaveLength(4_001 * 4);
    expect(asked).toBe(3);
  });

  it('tells the voice when a line is cut off', async () => {
    const seconds: [string, number][] = [];
    const noting: Voice = (text, speaker, options) => {
      seconds.push([text, options.seconds]);
      return voice(text, speaker, options);
    };
    const cues: Cue[] = [
      { speaker: 'agent', atMs: 0, text: 'a' },
      { speaker: 'user', atMs: 250, text: 'b' },
      { speaker: 'agent', atMs: 1_500, text: 'c' },
    ];
    await bytesOf(mix(cues, 16_000, { voice: noting, signal }));
    expect(seconds).toEqual([
      ['b', 1.75],
      ['a', 1.5],
      ['c', 0.5],
    ]);
  });

  it('stops when its signal aborts', async () => {
    const aborted = AbortSignal.abort(new Error('over'));
    await expect(bytesOf(mix([], 8_000, { voice, signal: aborted }))).rejects.toThrow('over');
  });
});

describe('what flite speaks of a line', () => {
  it('is no more than can be heard, and never half a character', () => {
    expect(audiblePart('x'.repeat(2_000), 5)).toHaveLength(400);
    expect(audiblePart('x'.repeat(3_000), 600)).toHaveLength(2_000);
    expect(audiblePart('Hello, who is it?', 1)).toBe('Hello, who is it?');
    expect(audiblePart('🙂'.repeat(100), 1)).toBe('🙂'.repeat(40));
    expect(audiblePart(`a${'🙂'.repeat(100)}`, 1)).toBe(`a${'🙂'.repeat(39)}`);
  });
});

describe('toneVoice', () => {
  it('renders the same text identically, as long as it takes to say, each side with its own pitch', async () => {
    const [once, again] = await Promise.all([
      toneVoice('Good morning', 'agent'),
      toneVoice('Good morning', 'agent'),
    ]);
    expect(once).toEqual(again);
    expect(once).toHaveLength((400 + 12 * 15) * 8);
    expect(Math.max(...once)).toBeGreaterThan(5_000);
    expect(await toneVoice('Good morning', 'user')).not.toEqual(once);
  });

  it('is empty for an empty text', async () => {
    expect(Math.max(...(await toneVoice('  ', 'user')))).toBe(0);
  });
});

describe('a recording of a simulated call', () => {
  const recorder = createSimulatedRecorder({ voice: toneVoice, maxSeconds: 60 });

  it('is a WAV file with two channels, 8,000 samples a second and 16 bits, as long as the conversation', async () => {
    const { seconds, bytes } = recorder.record(call, signal);
    const wav = await bytesOf(bytes);
    expect(seconds).toBe(10);
    expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
    expect(wav.readUInt32LE(4)).toBe(wav.length - 8);
    expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([2, 8_000, 16]);
    expect(wav.readUInt32LE(40)).toBe(10 * 32_000);
  });

  it('contains cues of what was said, by channel and in order', async () => {
    expect(await createCueReader({ read: async () => null }).read('b.wav')).toBeNull();
    for (const text of ['Ärger', 'even', 'odd']) {
      const record = [said('agent', 0, text), said('user', 4_000, 'Yes')];
      const wav = await bytesOf(recorder.record({ ...call, record }, signal).bytes);
      const read = async (_: string, start: number, most: number) => wav.subarray(start, start + most);
      expect(wav.length % 2).toBe(0);
      expect(await createCueReader({ read }).read('a.wav')).toEqual([
        { speaker: 'agent', atMs: 0, text },
        { speaker: 'user', atMs: 4_000 - 445, text: 'Yes' },
      ]);
    }
  });

  it('is no longer than its maximum', async () => {
    const { seconds, bytes } = recorder.record({ ...call, endedAt: after(3_600_000) }, signal);
    expect(seconds).toBe(60);
    expect((await bytesOf(bytes)).readUInt32LE(40)).toBe(60 * 32_000);
  });
});

describe('readPcm', () => {
  const wav = (rate: number, samples: number[], channels = 1): Buffer => {
    const head = Buffer.alloc(44);
    head.write('RIFF....WAVEfmt ', 'latin1');
    head.writeUInt32LE(16, 16);
    head.writeUInt16LE(channels, 22);
    head.writeUInt32LE(rate, 24);
    head.writeUInt16LE(16, 34);
    head.write('data', 36);
    head.writeUInt32LE(samples.length * 2, 40);
    return Buffer.concat([head, Buffer.from(Int16Array.from(samples).buffer)]);
  };

  it('returns 8,000 samples a second unchanged, and averages higher rates', () => {
    expect([...readPcm(wav(8_000, [1, -2, 3]))]).toEqual([1, -2, 3]);
    expect([...readPcm(wav(16_000, [10, 20, -10, -20]))]).toEqual([15, -15]);
  });

  it('refuses other files', () => {
    expect(() => readPcm(wav(8_000, [1, 2], 2))).toThrow();
    expect(() => readPcm(Buffer.from('not a file'))).toThrow();
  });
});
