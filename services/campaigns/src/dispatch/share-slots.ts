/** Divides slots round robin: how many each of `count` gets, in order. */
export function shareSlots(slots: number, count: number): number[] {
  const each = Math.floor(slots / count);
  return Array.from({ length: count }, (_, index) => each + (index < slots % count ? 1 : 0));
}

/** Rotates items, sorted by id, so that those after `last` come first. */
export function afterLast<Item extends { id: string }>(items: readonly Item[], last: string | null): Item[] {
  if (last === null) return [...items];
  return [...items.filter(({ id }) => id > last), ...items.filter(({ id }) => id <= last)];
}
