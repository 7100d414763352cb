/** Does all of them, a few at once, whatever becomes of the others; then fails as the first that failed. */
export async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
  atOnce = 4,
): Promise<void> {
  const failures: unknown[] = [];
  const left = [...items];
  const takeTurns = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      await work(item).catch((err: unknown) => failures.push(err));
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, takeTurns));
  if (failures.length > 0) throw failures[0];
}
