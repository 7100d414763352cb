/** Breaks a text at words into lines of at most `room` columns; a longer word gets a line of its own. */
export function wrapText(text: string, room: number): string[] {
  const lines = [''];
  for (const word of text.trim().split(/\s+/)) {
    const last = lines.at(-1) ?? '';
    if (last && last.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines;
}
