/** A pseudo-random number below `below` that depends on the phone number and the salt only. */
export function draw(to: string, salt: string, below: number): number {
  let hash = 2_166_136_261;
  for (const char of `${salt}:${to}`) hash = Math.imul(hash ^ char.charCodeAt(0), 16_777_619) >>> 0;
  return hash % below;
}
