import { execFile } from 'node:child_process';

export type ProgramResult = { ok: boolean; code: number | null; stdout: string; stderr: string };

type Options = { cwd?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number; uid?: number; gid?: number };

/** Runs a program and waits for its exit. A failure, a missing program and a timeout are values, not exceptions. */
export function runProgram(program: string, args: string[], options: Options = {}): Promise<ProgramResult> {
  const { timeoutMs = 60_000, ...rest } = options;
  return new Promise((resolve) => {
    const settings = {
      ...rest,
      timeout: timeoutMs,
      killSignal: 'SIGKILL' as const,
      maxBuffer: 32 * 1024 * 1024,
    };
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      resolve({ ok: error === null, code: child.exitCode, stdout, stderr: stderr || (error?.message ?? '') });
    });
    child.stdin?.end();
  });
}
