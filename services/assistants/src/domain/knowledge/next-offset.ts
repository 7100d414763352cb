/** The cursor of an offset list: the next offset as a string, null at the end (D1.4). */
export function nextOffset({ offset }: { offset: number }, count: number, total: number): string | null {
  const next = offset + count;
  return count > 0 && next < total ? String(next) : null;
}
