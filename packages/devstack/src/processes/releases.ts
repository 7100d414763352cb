export type Releases = {
  /** Registers how to release what has just been opened; released at once, and thrown, when releasing has begun. */
  add(release: () => Promise<void> | void): Promise<void>;
  /** Releases everything, the newest first. One that fails does not keep the others. */
  run(): Promise<void>;
  /** Whether there is anything to release. */
  isEmpty(): boolean;
  /** Fires when releasing begins: nothing more has to be waited for. */
  signal: AbortSignal;
};

export function createReleases(): Releases {
  const opened: (() => Promise<void> | void)[] = [];
  const closing = new AbortController();
  const add = async (release: () => Promise<void> | void) => {
    if (!closing.signal.aborted) return void opened.push(release);
    await release();
    throw new Error('told to stop');
  };
  const run = async () => {
    closing.abort();
    for (let release = opened.pop(); release; release = opened.pop()) {
      await Promise.resolve(release()).catch((error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      });
    }
  };
  return { add, run, isEmpty: () => opened.length === 0, signal: closing.signal };
}
