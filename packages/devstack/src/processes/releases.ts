export type Releases = {
  /** Registers the release of a resource. If releasing has already begun, releases it immediately and throws. */
  add(release: () => Promise<void> | void): Promise<void>;
  /** Releases everything in reverse order, even if some releases fail. */
  run(): Promise<void>;
  /** Whether nothing is registered. */
  isEmpty(): boolean;
  /** Aborts when releasing begins. */
  signal: AbortSignal;
};

export function createReleases(): Releases {
  const opened: (() => Promise<void> | void)[] = [];
  const closing = new AbortController();
  const add = async (release: () => Promise<void> | void) => {
    if (!closing.signal.aborted) return void opened.push(release);
    await release();
    throw new Error('stop requested');
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
