/** Tells a loop of this process that there may be work for it. Nothing depends on it: the loop also looks by itself. */
export type Bell = { ring(): void; answer(fn: () => void): void };

export function createBell(): Bell {
  let answered = (): void => {};
  return {
    ring: () => answered(),
    answer: (fn) => {
      answered = fn;
    },
  };
}
