/** Whole seconds from answer to end, rounded up; 0 for a call that was never answered (D1.10). */
export function talkSeconds(answeredAt: Date | null, endedAt: Date): number {
  return answeredAt ? Math.ceil(Math.max(0, endedAt.getTime() - answeredAt.getTime()) / 1000) : 0;
}

/** Cents of a call at a rate of cents a minute (D1.10). */
export function toCents(duration: number, rateCents: number): number {
  return Math.ceil((duration * rateCents) / 60);
}
