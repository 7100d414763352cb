import { type ChildProcess, spawn } from 'node:child_process';
import { SpeechError } from '../ports.ts';

/** Exit code of a shell for a missing command. */
const NOT_FOUND = 127;

/** A running program whose standard input and output are pipes. */
export type Program = {
  write(bytes: Uint8Array): void;
  /** Closes the standard input. */
  end(): void;
  readonly output: AsyncIterable<Buffer>;
  /** Resolves when it has exited: with the error if it failed; never rejects. */
  readonly exited: Promise<SpeechError | undefined>;
  kill(): void;
};

/**
 * Starts a program. The shell between it and this process gives it real pipes: those of Node are sockets, which can't be opened again as
 * `/dev/stdin` and `/dev/stdout`.
 */
export function startProgram(name: string, debianPackage: string, args: readonly string[]): Program {
  const script = `command -v ${name} >/dev/null || exit ${NOT_FOUND}; cat | { ${name} "$@" || echo failed >&2; } | cat`;
  const child = spawn('sh', ['-c', script, 'sh', ...args], { detached: true, stdio: 'pipe' });
  let messages = '';
  child.stderr.on('data', (data) => {
    messages = (messages + String(data)).slice(-1_000);
  });
  // The exit code says more than a broken pipe.
  child.stdin.on('error', () => undefined);
  const exited = new Promise<SpeechError | undefined>((resolve) => {
    child.on('error', (cause) => resolve(new SpeechError(name, 'unavailable', cause.message, { cause })));
    child.on('close', (code) => {
      if (code === NOT_FOUND) resolve(notInstalled(name, debianPackage));
      else if (code !== 0 || messages.trimEnd().endsWith('failed')) resolve(failed(name, messages));
      else resolve(undefined);
    });
  });
  return {
    write: (bytes) => void child.stdin.write(bytes),
    end: () => void child.stdin.end(),
    output: child.stdout,
    exited,
    kill: () => killGroup(child),
  };
}

/**
 * Runs a program to its end, with these open files as `/dev/fd/3` and so on, and without input and output. Rejects with SpeechError, or with the
 * signal's reason after it was killed.
 */
export async function runProgram(
  name: string,
  debianPackage: string,
  args: readonly string[],
  { files, signal }: { files: readonly number[]; signal: AbortSignal },
): Promise<void> {
  const child = spawn(name, [...args], {
    stdio: ['ignore', 'ignore', 'pipe', ...files],
    signal,
    killSignal: 'SIGKILL',
  });
  let messages = '';
  child.stderr?.on('data', (data) => {
    messages = (messages + String(data)).slice(-1_000);
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) reject(signal.reason);
      else reject(error.code === 'ENOENT' ? notInstalled(name, debianPackage) : failed(name, error.message));
    });
    child.once('close', (code) => {
      if (signal.aborted) reject(signal.reason);
      else if (code === 0) resolve();
      else reject(failed(name, messages));
    });
  });
}

/** Rejects with SpeechError if a program is not installed. */
export async function requireProgram(name: string, debianPackage: string): Promise<void> {
  const child = spawn('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' });
  const code = await new Promise((resolve) => child.on('close', resolve).on('error', resolve));
  if (code !== 0) throw notInstalled(name, debianPackage);
}

function notInstalled(name: string, debianPackage: string): SpeechError {
  return new SpeechError(
    name,
    'unavailable',
    `The program is not installed (Debian: apt-get install ${debianPackage})`,
  );
}

function failed(name: string, messages: string): SpeechError {
  const reason = messages.replace(/\s*failed\s*$/, '').trim();
  return new SpeechError(name, 'unavailable', `The program failed${reason === '' ? '' : `: ${reason}`}`);
}

/** Kills the whole process group: the shell, the program and the pipes between them. */
function killGroup({ pid, exitCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has already exited.
  }
}
