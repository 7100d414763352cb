type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown };

/** Lines that show progress in place. */
export type LiveBlock = {
  /** Shows `lines` on a terminal; without one, writes `line` every few seconds. */
  show(lines: string[], line: string): void;
  /** Leaves the last lines on the screen. */
  end(): void;
};

const PLAIN_EVERY_MS = 5_000;

/**
 * Redraws on a terminal; elsewhere writes a line every few seconds, so that a log also shows progress. Lines must fit the
 * terminal.
 */
export function createLiveBlock(output: Output): LiveBlock {
  let height = 0;
  let last = { text: '', at: Number.NEGATIVE_INFINITY };
  let unwritten = '';

  const writePlain = (text: string): void => {
    last = { text, at: performance.now() };
    unwritten = '';
    output.write(`${text}\n`);
  };

  return {
    show: (lines, line) => {
      if (output.isTTY) {
        const up = height > 0 ? `\u001b[${height}A\r\u001b[J` : '';
        output.write(`${up}${lines.join('\n')}\n`);
        height = lines.length;
      } else if (performance.now() - last.at >= PLAIN_EVERY_MS) {
        writePlain(line);
      } else {
        unwritten = line;
      }
    },
    end: () => {
      if (unwritten && unwritten !== last.text) writePlain(unwritten);
      height = 0;
    },
  };
}
