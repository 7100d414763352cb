import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { promisify } from 'node:util';
import { createKeyedLimiter } from '@parley/kit/concurrency';
import { openNameless } from '@parley/kit/files';
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
/**
 * Lines that wait for others, at most; one is spoken at a time. Priority alone does not protect live calls: the limit of a container's processor
 * time counts flite too.
 */
const MAX_WAITING = 100;

/** Speech by flite if it is installed; tones otherwise, or if it fails. Detected at the first line. */
export function createFliteVoice(log: Log): Voice {
  let installed: Promise<boolean> | undefined;
  const lines = createKeyedLimiter({ concurrency: 1, maxQueued: MAX_WAITING });
  return async (text, speaker, { seconds, signal }) => {
    installed ??= isInstalled(log);
    if (!(await installed)) return toneVoice(text, speaker);
    try {
      return await lines.run('flite', () => say(audiblePart(text, seconds), speaker, signal), signal);
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
  const options = ['-voice', VOICES[speaker], '--setf', `duration_stretch=${STRETCH}`];
  // By files, since every user can read the arguments of a process.
  const [script, speech] = await Promise.all([openNameless(), openNameless()]);
  try {
    await script.writeFile(text.trim() || '.');
    const child = spawn('flite', [...options, '-f', '/dev/fd/3', '-o', '/dev/fd/4'], {
      stdio: ['ignore', 'ignore', 'ignore', script.fd, speech.fd],
      detached: true,
      timeout: TIMEOUT_MS,
      signal,
    });
    lowerPriority(child.pid);
    const [code, killedBy] = await once(child, 'close');
    if (code !== 0) throw Object.assign(new Error('flite failed'), { code, signal: killedBy });
    return readPcm(await speech.readFile());
  } finally {
    await Promise.all([script.close(), speech.close()]);
  }
}

/**
 * Recordings are made after calls: live calls and requests come first. Linux may share the processors among sessions before it compares the
 * priorities of processes: the detached process has a session of its own, whose priority is lowered too.
 */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
    writeFileSync(`/proc/${pid}/autogroup`, `${constants.priority.PRIORITY_LOW}`);
  } catch {
    // It has ended, or the system has no such sessions.
  }
}
