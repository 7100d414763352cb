/** Words that arrive one after the other, for one reader. */
export type WordStream = {
  add(words: string): void;
  end(): void;
  fail(error: unknown): void;
  stream: AsyncIterable<string>;
};

export function createWordStream(): WordStream {
  const waiting: string[] = [];
  let over: { error?: unknown } | undefined;
  let wake = (): void => {};
  const finish = (how: { error?: unknown }): void => {
    over ??= how;
    wake();
  };
  async function* read(): AsyncGenerator<string> {
    for (;;) {
      const words = waiting.splice(0).join('');
      if (words !== '') yield words;
      else if (over && 'error' in over) throw over.error;
      else if (over) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    add: (words) => {
      waiting.push(words);
      wake();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    stream: { [Symbol.asyncIterator]: read },
  };
}
