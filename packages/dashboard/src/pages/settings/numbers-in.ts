import { plainNumber } from '../numbers/checks.ts';

/** The numbers in a typed text, one per line or separated by commas or semicolons; spaces belong to a number. */
export function numbersIn(text: string): string[] {
  const typed = text.split(/[\n,;]+/).filter((line) => line.trim() !== '');
  return [...new Set(typed.map((line) => plainNumber(line)))];
}
