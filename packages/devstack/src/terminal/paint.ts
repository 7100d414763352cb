const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

/** Applies a style to a text, or returns it unchanged if the output has no colors. */
export type Paint = (style: keyof typeof STYLES, text: string) => string;

export function createPaint(colors: boolean): Paint {
  return (style, text) => (colors && text ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}
