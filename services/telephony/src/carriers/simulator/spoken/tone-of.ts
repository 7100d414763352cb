const AMPLITUDE = 9_000;

/** A sine, such as the beep of an answering machine. */
export function toneOf({ hertz, ms, sampleRate }: { hertz: number; ms: number; sampleRate: number }) {
  const samples = Int16Array.from({ length: Math.round((ms * sampleRate) / 1_000) }, (_, n) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * hertz * n) / sampleRate)),
  );
  return { samples, sampleRate };
}
