/** Sets an entry of a map that holds no more than `most`: the one that was set longest ago makes room. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
