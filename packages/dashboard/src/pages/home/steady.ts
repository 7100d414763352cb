/** What is shown, in its order, by key. */
export type Held<Item> = ReadonlyMap<string, Item>;

/** The items that are shown, as they are now; which have come and gone is only said. Without `held`, all are shown. */
export function steady<Item>(
  held: Held<Item> | undefined,
  items: readonly Item[],
  keyOf: (item: Item) => string,
): { held: Held<Item>; hasNew: boolean; hasGone: boolean } {
  const now = new Map(items.map((item) => [keyOf(item), item]));
  if (!held) return { held: now, hasNew: false, hasGone: false };
  const isOutdated = [...held].some(([key, item]) => (now.get(key) ?? item) !== item);
  return {
    held: isOutdated ? new Map([...held].map(([key, item]) => [key, now.get(key) ?? item])) : held,
    hasNew: [...now.keys()].some((key) => !held.has(key)),
    hasGone: [...held.keys()].some((key) => !now.has(key)),
  };
}
