import { formatMs } from './format-ms.ts';
import { createPaint } from './paint.ts';

export type Hint = (text: string) => void;

export type Steps = {
  /**
   * Runs a step and shows a line with its last hint and its duration, measured from `began` (of `performance.now()`). Steps may run
   * concurrently.
   */
  step<T>(title: string, run: (hint: Hint) => Promise<T>, began?: number): Promise<T>;
  /** A line of its own. */
  print(text: string): void;
};

type Output = { isTTY?: boolean; columns?: number; write(text: string): unknown };

const SHOW_AFTER_MS = 3_000;

/**
 * Progress on a terminal: a line for each completed step, and below them a temporary line with the running ones. Without a terminal
 * there are no colors and no temporary line, but a long step prints its hint.
 */
export function createSteps(output: Output, colors = output.isTTY === true): Steps {
  const running = new Map<symbol, { title: string; hint: string }>();
  const paint = createPaint(colors);
  const clear = () => output.isTTY && output.write('\r\u001b[2K');
  const draw = () => {
    if (!output.isTTY || running.size === 0) return;
    const text = [...running.values()]
      .map(({ title, hint }) => (hint ? `${title}: ${hint}` : title))
      .join('; ');
    output.write(paint('dim', `  … ${text}`.slice(0, (output.columns ?? 100) - 1)));
  };
  const print = (text: string) => {
    clear();
    output.write(`${text}\n`);
    draw();
  };

  const step = async <T>(
    title: string,
    run: (hint: Hint) => Promise<T>,
    began = performance.now(),
  ): Promise<T> => {
    const key = Symbol(title);
    const state = { title, hint: '' };
    const finish = (mark: string) => {
      clearTimeout(timer);
      running.delete(key);
      print(
        `  ${mark} ${title.padEnd(12)} ${state.hint}  ${paint('dim', formatMs(performance.now() - began))}`,
      );
    };
    const timer = setTimeout(
      () => output.isTTY || print(`  … ${title.padEnd(12)} ${state.hint}`),
      SHOW_AFTER_MS,
    );
    running.set(key, state);
    clear();
    draw();
    try {
      const result = await run((text) => {
        state.hint = text;
        clear();
        draw();
      });
      finish(paint('green', '✓'));
      return result;
    } catch (error) {
      finish(paint('red', '✗'));
      throw error;
    }
  };

  return { step, print };
}
