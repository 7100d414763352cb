import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { msOf } from '@parley/media';
import { toSpeechError } from '../fallback/failures.ts';
import { type Recognition, SpeechError, type SpeechStream, type SpeechToText } from '../ports.ts';
import { grammarOf, wordsOfDictionary } from './grammar.ts';
import { type Program, requireProgram, startProgram } from './program.ts';

const NAME = 'pocketsphinx_continuous';
const PACKAGES = 'pocketsphinx pocketsphinx-en-us';
const DICTIONARY = '/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict';
const SAMPLE_RATE = 16_000;

/** Rejects with SpeechError if pocketsphinx or its English model is not installed. */
export async function checkPocketsphinx(): Promise<void> {
  await requireProgram(NAME, PACKAGES);
  // The dictionary is read with the first grammar: at every start of a worker it would cost a second of CPU time.
  await access(DICTIONARY).catch((cause: unknown) => {
    throw modelMissing(cause);
  });
}

/**
 * Speech to text by the program `pocketsphinx_continuous` of Debian, in English, on wideband lines. With `phrases` it recognizes only these, in
 * any order and nothing else, with few errors; without, any text with one wrong word of four to ten. No interim words. Each stretch of
 * speech has its process, 37 MB, which is started before it and ends with the flush, which returns its last words.
 */
export function createPocketsphinx(
  options: { onUnknownWords?: (words: readonly string[]) => void } = {},
): SpeechToText {
  return {
    name: NAME,
    sampleRate: SAMPLE_RATE,
    minLineRate: SAMPLE_RATE,
    open: (given) => openStream(given, options),
  };
}

type OpenOptions = Parameters<SpeechToText['open']>[0];
/** The audio between two flushes, and the process that recognizes it. */
type Stretch = {
  startMs: number;
  audio: Uint8Array[];
  isEnded: boolean;
  program: Program | undefined;
  done: Promise<void>;
};

function openStream(
  given: OpenOptions,
  { onUnknownWords }: Parameters<typeof createPocketsphinx>[0] & object,
): SpeechStream {
  const { onResult, onError } = given;
  const folder = mkdtemp(join(tmpdir(), 'parley-grammar-'));
  const prepared = folder.then((path) => argumentsOf(given, path, onUnknownWords));
  const running = new Set<Program>();
  let pushed = 0;
  let isClosed = false;

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    for (const program of running) program.kill();
    folder.then((path) => rm(path, { recursive: true, force: true })).catch(() => {});
  };
  /** Recognizes the stretch, and retries once if the process fails. */
  const run = async (heard: Stretch): Promise<void> => {
    let error: SpeechError | undefined;
    const args = await prepared;
    for (let attempt = 0; attempt < 2 && !isClosed; attempt += 1) {
      const program = startProgram(NAME, PACKAGES, args);
      heard.program = program;
      running.add(program);
      void program.exited.then(() => running.delete(program));
      for (const bytes of heard.audio) program.write(bytes);
      if (heard.isEnded) program.end();
      const text = await textOf(program.output);
      error = await program.exited;
      if (isClosed) return;
      if (!error && heard.isEnded) {
        for (const result of resultsOf(text, heard.startMs)) onResult(result);
        return;
      }
    }
    if (!isClosed) throw error ?? new SpeechError(NAME, 'unavailable', 'The program ended early');
  };
  const begin = (): Stretch => {
    const begun: Stretch = {
      startMs: msOf(pushed, SAMPLE_RATE),
      audio: [],
      isEnded: false,
      program: undefined,
      done: Promise.resolve(),
    };
    begun.done = run(begun).catch((error: unknown) => {
      if (isClosed) return;
      close();
      onError(toSpeechError(NAME, error));
    });
    return begun;
  };
  let stretch = begin();

  return {
    push(samples) {
      if (isClosed) return;
      pushed += samples.length;
      const bytes = new Uint8Array(samples.slice().buffer);
      stretch.audio.push(bytes);
      stretch.program?.write(bytes);
    },
    async flush() {
      if (isClosed) return;
      const ended = stretch;
      ended.isEnded = true;
      ended.program?.end();
      stretch = begin();
      await ended.done;
    },
    close,
  };
}

async function argumentsOf(
  { language, phrases = [] }: OpenOptions,
  folder: string,
  onUnknownWords?: (words: readonly string[]) => void,
): Promise<readonly string[]> {
  if (!/^en\b/i.test(language))
    throw new SpeechError(NAME, 'request', `No model for the language ${language}`);
  const common = ['-infile', '/dev/stdin', '-time', 'yes', '-logfn', '/dev/null'];
  if (phrases.length === 0) return common;
  const grammar = grammarOf(phrases, await dictionary());
  if (!grammar)
    throw new SpeechError(NAME, 'request', 'Every phrase has a word that is not in the dictionary');
  if (grammar.unknownWords.length > 0) onUnknownWords?.(grammar.unknownWords);
  const path = join(folder, 'phrases.jsgf');
  await writeFile(path, grammar.jsgf, { mode: 0o600 });
  return [...common, '-jsgf', path];
}

async function dictionary(): Promise<ReadonlySet<string>> {
  try {
    return await wordsOfDictionary(DICTIONARY);
  } catch (cause) {
    throw modelMissing(cause);
  }
}

const modelMissing = (cause: unknown): SpeechError =>
  new SpeechError(
    NAME,
    'unavailable',
    `The English model is not installed (Debian: apt-get install ${PACKAGES})`,
    { cause },
  );

async function textOf(output: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of output) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Each utterance is a line of words, and a line `word start end probability` in seconds for each of them. */
function resultsOf(text: string, offsetMs: number): Recognition[] {
  const results: Recognition[] = [];
  for (const line of text.split('\n')) {
    const timed = /^(\S+) (\d+\.\d+) (\d+\.\d+) \d+\.\d+$/.exec(line);
    const last = results.at(-1);
    if (!timed) {
      if (line.trim() === '') continue;
      results.push({
        text: line.trim(),
        isFinal: true,
        confidence: null,
        startMs: Number.NaN,
        endMs: Number.NaN,
      });
    } else if (last && !/^[<([]/.test(timed[1] ?? '')) {
      if (Number.isNaN(last.startMs)) last.startMs = offsetMs + Number(timed[2]) * 1_000;
      last.endMs = offsetMs + Number(timed[3]) * 1_000;
    }
  }
  return results.filter(({ startMs }) => !Number.isNaN(startMs));
}
