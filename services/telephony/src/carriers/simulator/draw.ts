/** A small number that is drawn from the digits: the same number behaves the same each time. */
export function draw(to: string, salt: string, below: number): number {
  let hash = 2_166_136_261;
  for (const char of `${salt}:${to}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619) >>> 0;
  return hash % below;
}
