import { Problem } from './problem.ts';

/** Runs a command and exits with its code. A `Problem` is shown as a message; any other error is a bug. */
export function runScript(main: () => Promise<number>): void {
  main().then(
    (code) => process.exit(code),
    (error: unknown) => {
      process.stderr.write(`\n${error instanceof Problem ? error.message : describe(error)}\n`);
      process.exit(1);
    },
  );
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
