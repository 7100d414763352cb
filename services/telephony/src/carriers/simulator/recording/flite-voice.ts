import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Log } from '@parley/kit/log';
import { readPcm } from './read-pcm.ts';
import { toneVoice } from './tone-voice.ts';
import type { Voice } from './voice.ts';

const run = promisify(execFile);

/** Both are part of flite. */
const VOICES = { user: 'kal', agent: 'slt' } as const;
/** Slightly faster than flite's default. */
const STRETCH = '0.8';
const MAX_CHARACTERS = 2_000;
/** Faster than any English: prose has about 25, "the the the" 54. Bounds the time for a line that is cut off. */
const CHARACTERS_PER_SECOND = 80;
/** Real time. */
const TIMEOUT_MS = 20_000;

/** Speech by flite if it is installed; tones otherwise, or if it fails. Detected at the first line. */
export function createFliteVoice(log: Log): Voice {
  let installed: Promise<boolean> | undefined;
  return async (text, speaker, { seconds, signal }) => {
    installed ??= isInstalled(log);
    if (!(await installed)) return toneVoice(text, speaker);
    try {
      return await say(audiblePart(text, seconds), speaker, signal);
    } catch (err) {
      signal.throwIfAborted();
      // Not the error itself: it contains the command, and so the spoken text.
      log.warn({ exit: exitOf(err) }, 'flite failed for a line');
      return toneVoice(text, speaker);
    }
  };
}

async function isInstalled(log: Log): Promise<boolean> {
  const found = await run('flite', ['-lv'], { timeout: TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
  log.info({ speech: found ? 'flite' : 'tones' }, 'recordings of simulated calls');
  return found;
}

function exitOf(err: unknown): unknown {
  const { code, signal } = err as { code?: unknown; signal?: unknown };
  return code ?? signal ?? 'no recording';
}

/** What can be heard within the time, and a little more. */
export function audiblePart(text: string, seconds: number): string {
  const length = Math.min(MAX_CHARACTERS, Math.ceil(seconds * CHARACTERS_PER_SECOND));
  // Not within a pair of surrogates.
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
}

async function say(text: string, speaker: 'user' | 'agent', signal: AbortSignal): Promise<Int16Array> {
  // In a private folder, since every user can read the arguments of a process.
  const folder = await mkdtemp(join(tmpdir(), 'parley-speech-'));
  const [script, file] = [join(folder, 'words.txt'), join(folder, 'speech.wav')];
  const words = text.trim() || '.';
  const options = ['-voice', VOICES[speaker], '--setf', `duration_stretch=${STRETCH}`];
  try {
    await writeFile(script, words, { mode: 0o600 });
    const running = run('flite', [...options, '-f', script, '-o', file], { timeout: TIMEOUT_MS, signal });
    lowerPriority(running.child.pid);
    await running;
    return readPcm(await readFile(file));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Recordings are made after calls: live calls and requests come first. */
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended.
  }
}
