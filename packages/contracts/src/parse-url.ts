/**
 * A URL, or undefined if the text is not one. Not by `URL.canParse`: Node 20 compiles frequent calls of it to a version that rejects letters such
 * as `ü`.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
