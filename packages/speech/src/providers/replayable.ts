/** A text that another attempt or provider can read again from its beginning. The source is read once. */
export type Replayable = {
  read(): AsyncIterable<string>;
  /** Ends the source. Doesn't wait for it. */
  release(): void;
};

export function replayable(text: AsyncIterable<string>): Replayable {
  const source = text[Symbol.asyncIterator]();
  const pieces: Promise<string | undefined>[] = [];

  const pieceAt = (i: number): Promise<string | undefined> => {
    const known = pieces[i];
    if (known) return known;
    const piece = source.next().then(({ done, value }) => (done ? undefined : value));
    // Each reader observes the rejection.
    piece.catch(() => {});
    pieces[i] = piece;
    return piece;
  };

  return {
    read: async function* () {
      for (let i = 0; ; i += 1) {
        const piece = await pieceAt(i);
        if (piece === undefined) return;
        yield piece;
      }
    },
    release: () => void source.return?.().catch(() => {}),
  };
}
