/** Breaks a text at words into lines of at most `width` columns; a longer word gets a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.trim().split(/\s+/)) {
    const last = lines.at(-1) ?? '';
    if (last && last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}
