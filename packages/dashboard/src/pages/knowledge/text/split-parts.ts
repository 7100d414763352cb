/** A request has at most 1 MiB; quotes and line breaks take two bytes in JSON. */
const MAX_PART_BYTES = 900_000;

const encoder = new TextEncoder();

function bytesOf(text: string): number {
  return encoder.encode(JSON.stringify(text)).length;
}

/** Parts of a long text that a document can have, split between paragraphs, or lines, or words where it must be. */
export function splitParts(text: string, maxBytes = MAX_PART_BYTES): string[] {
  if (bytesOf(text) <= maxBytes) return [text];
  const middle = text.length / 2;
  const at = [/\n\s*\n/g, /\n/g, /\s/g]
    .map((gap) => nearest(text, gap, middle))
    .find((found) => found !== undefined);
  const cut = at ?? wholeCharacter(text, Math.floor(middle));
  return [text.slice(0, cut), text.slice(cut)]
    .filter((part) => part.trim() !== '')
    .flatMap((part) => splitParts(part.trim(), maxBytes));
}

/** The gap that is nearest to the middle, in the middle half. */
function nearest(text: string, gap: RegExp, middle: number): number | undefined {
  let best: number | undefined;
  for (const { index } of text.matchAll(gap)) {
    if (index < middle / 2 || index > middle * 1.5) continue;
    if (best === undefined || Math.abs(index - middle) < Math.abs(best - middle)) best = index;
  }
  return best;
}

function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
