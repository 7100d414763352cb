/** A list that cannot be read as rows, with the reason in words. */
export class UnreadableList extends Error {}

const ZIP = [0x50, 0x4b];
const MAX_BYTES = 200 * 1024 * 1024;

/** The text of a file, in the encoding that it is likely to have. */
export async function readFileText(file: File): Promise<string> {
  if (file.size > MAX_BYTES) throw new UnreadableList('The file has more than 200 MB. Split it.');
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (ZIP.every((byte, i) => bytes[i] === byte))
    throw new UnreadableList('This is a workbook of a spreadsheet. Save or export it as CSV first.');
  return decode(bytes);
}

export function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // What spreadsheets on Windows write unless they are asked for UTF-8.
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** The rows of CSV text, with any usual separator. The parser is loaded when it is needed. */
export async function readRows(text: string): Promise<string[][]> {
  const { default: papa } = await import('papaparse');
  const trimmed = text.replace(/^\uFEFF/, '').replace(/\s+$/, '');
  if (trimmed === '') throw new UnreadableList('The list is empty.');
  const { data } = papa.parse<string[]>(trimmed, { delimitersToGuess: [',', ';', '\t', '|'] });
  return data;
}
