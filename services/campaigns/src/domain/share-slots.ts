/** How many slots each of `count` takers gets, in their order: round robin. */
export function shareSlots(slots: number, count: number): number[] {
  const each = Math.floor(slots / count);
  return Array.from({ length: count }, (_, index) => each + (index < slots % count ? 1 : 0));
}

/** The items in the order of their turns: those after `last` first. `items` are sorted by id. */
export function afterLast<Item extends { id: string }>(items: readonly Item[], last: string | null): Item[] {
  if (last === null) return [...items];
  return [...items.filter(({ id }) => id > last), ...items.filter(({ id }) => id <= last)];
}
