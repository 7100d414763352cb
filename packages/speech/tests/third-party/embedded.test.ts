import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { audibleMs } from '@parley/media/testing';
import {
  checkFlite,
  checkPocketsphinx,
  createFlite,
  createPocketsphinx,
  FLITE_VOICES,
  type Recognition,
  SpeechError,
} from '../../src/index.ts';
import { until } from '../providers.ts';
import { itWith } from './programs.ts';
import { collect, flite, silence } from './speech.ts';

const RATE = 16_000;
const RECOGNIZER = ['flite', 'pocketsphinx_continuous'] as const;
const PHRASES = ['I would like to book a table', 'for 4 people', 'tomorrow', 'yes', 'no thank you'];

async function recognize(
  texts: readonly string[],
  options: { phrases?: readonly string[]; language?: string } = {},
): Promise<{ results: Recognition[]; errors: SpeechError[] }> {
  const results: Recognition[] = [];
  const errors: SpeechError[] = [];
  const stream = createPocketsphinx().open({
    language: options.language ?? 'en-US',
    ...(options.phrases && { phrases: options.phrases }),
    onResult: (result) => results.push(result),
    onError: (error) => errors.push(error),
  });
  for (const text of texts) {
    for (const audio of [silence(500), await flite(text), silence(300)]) {
      for (let at = 0; at < audio.length; at += 320) stream.push(audio.subarray(at, at + 320));
    }
    await stream.flush();
  }
  stream.close();
  return { results, errors };
}

/** The processes of this one that recognize. */
async function recognizers(): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
      const command = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
      return status.includes(`PPid:\t${process.pid}\n`) && command.includes('pocketsphinx_continuous');
    }),
  );
  return pids.filter((_, i) => found[i]);
}

describe('flite', () => {
  itWith(['flite'], 'speaks with each of its voices', async () => {
    await checkFlite();
    for (const { id } of FLITE_VOICES) {
      const heardMs = audibleMs(await flite('Good morning, how are you?', id), RATE);
      expect(heardMs).toBeGreaterThan(700);
      expect(heardMs).toBeLessThan(3_000);
    }
  });

  itWith(['flite'], 'shows no word to other users of the machine', async () => {
    const marker = `wilhelmina${process.pid}`;
    let isSpeaking = true;
    const speaking = flite(`Good morning ${marker} ${'and good night '.repeat(150)}`).finally(() => {
      isSpeaking = false;
    });
    const seen: string[] = [];
    while (isSpeaking) {
      const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
      const lines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => ''));
      seen.push(...(await Promise.all(lines)).filter((line) => line.includes(marker)));
    }
    expect(audibleMs(await speaking, RATE)).toBeGreaterThan(10_000);
    expect(seen).toEqual([]);
  });

  itWith(['flite'], 'speaks faster and slower', async () => {
    const speak = async (speed: number): Promise<number> => {
      let samples = 0;
      const text = async function* () {
        yield 'Good morning, how are you?';
      };
      const signal = new AbortController().signal;
      for await (const part of createFlite().speak(text(), { language: 'en-US', speed, signal }))
        samples += part.length;
      return samples;
    };
    expect((await speak(2)) / (await speak(1))).toBeCloseTo(0.5, 1);
  });

  itWith(['flite'], 'takes text for text, whatever is in it', async () => {
    const text = '$(touch /tmp/x) `id` "; -o /tmp/x --help';
    expect(audibleMs(await flite(text), RATE)).toBeGreaterThan(500);
  });

  itWith(['flite'], 'stops when its signal aborts', async () => {
    const abort = new AbortController();
    const spoken = collect(createFlite(), 'One. Two. Three. Four. Five.', undefined, abort.signal);
    abort.abort(new Error('enough'));
    await expect(spoken).rejects.toThrow('enough');
  });

  it('rejects a voice that it does not have', async () => {
    await expect(flite('Hello.', 'aria')).rejects.toMatchObject({ name: 'SpeechError', kind: 'request' });
  });
});

describe('pocketsphinx', () => {
  itWith(RECOGNIZER, 'recognizes phrases of a grammar, with their times', async () => {
    await checkPocketsphinx();
    const { results, errors } = await recognize(
      ['I would like to book a table, for four people, tomorrow.', 'No, thank you.'],
      { phrases: PHRASES },
    );
    expect(errors).toEqual([]);
    expect(results.map(({ text }) => text)).toEqual([
      'i would like to book a table for four people tomorrow',
      'no thank you',
    ]);
    const [first, second] = results;
    expect(first?.startMs).toBeGreaterThan(450);
    expect(second?.startMs).toBeGreaterThan((first?.endMs ?? 0) + 500);
  });

  itWith(RECOGNIZER, 'gives nothing for silence', async () => {
    const { results, errors } = await recognize(['', ''], { phrases: PHRASES });
    expect([...results, ...errors]).toEqual([]);
  });

  itWith(RECOGNIZER, 'leaves out phrases with words that it does not know', async () => {
    const unknown: string[] = [];
    const stt = createPocketsphinx({ onUnknownWords: (words) => unknown.push(...words) });
    const stream = stt.open({
      language: 'en-US',
      phrases: ['yes', 'xqzzy'],
      onResult: () => undefined,
      onError: (error) => {
        throw error;
      },
    });
    await stream.flush();
    stream.close();
    expect(unknown).toEqual(['xqzzy']);
  });

  itWith(RECOGNIZER, 'stops at once when it is closed, also what it has not recognized yet', async () => {
    const stream = createPocketsphinx().open({
      language: 'en-US',
      onResult: () => undefined,
      onError: (error) => {
        throw error;
      },
    });
    const speech = await flite('I would like to book a table for four people tomorrow. '.repeat(20));
    stream.push(speech);
    const flushed = stream.flush();
    await until(async () => (await recognizers()).length === 2);
    stream.close();
    await until(async () => (await recognizers()).length === 0, 5_000);
    await flushed;
  });

  it('reports a machine without a place for its files', async () => {
    const script = `
      import { createPocketsphinx } from '@parley/speech';
      process.env.TMPDIR = '/dev/null/none';
      createPocketsphinx().open({ language: 'en-US', onResult() {}, onError: ({ kind }) => console.log(kind) });`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--conditions=source', '--input-type=module', '--eval', script],
      { cwd: import.meta.dirname, timeout: 60_000 },
    );
    expect(stdout).toBe('unavailable\n');
  });

  it('reports an unsupported language', async () => {
    const error = await new Promise<SpeechError>((resolve) => {
      createPocketsphinx().open({ language: 'de-DE', onResult: () => undefined, onError: resolve });
    });
    expect(error).toMatchObject({ kind: 'request' });
  });
});

describe('a program that is not installed', () => {
  it('is reported by the checks and when it is used', async () => {
    const { requireProgram, startProgram } = await import('../../src/embedded/program.ts');
    await expect(requireProgram('not-there', 'some-package')).rejects.toThrow('apt-get install some-package');
    const program = startProgram('not-there', 'some-package', []);
    program.end();
    const error = await program.exited;
    expect(error).toBeInstanceOf(SpeechError);
    expect(error).toMatchObject({ kind: 'unavailable' });
  });
});
