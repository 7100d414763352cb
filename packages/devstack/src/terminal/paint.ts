const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

/** Puts a text into a style, or leaves it as it is where nobody would see colours. */
export type Paint = (style: keyof typeof STYLES, text: string) => string;

export function createPaint(colours: boolean): Paint {
  return (style, text) => (colours && text ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}
