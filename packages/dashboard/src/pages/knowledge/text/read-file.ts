import { htmlText } from './html-text.ts';

export type ReadFile = { title: string; text: string };

/** What people may upload; everything becomes text in this browser. */
export const ACCEPTED = ['.txt', '.md', '.markdown', '.html', '.htm', '.pdf', '.csv', '.json'];
const MAX_FILE_BYTES = 50_000_000;

/** Title and text of a file. Rejects with an Error that says why it can't be read. */
export async function readFile(file: File): Promise<ReadFile> {
  const ending = /\.[^.]+$/.exec(file.name.toLowerCase())?.[0] ?? '';
  if (!ACCEPTED.includes(ending)) throw new Error(`Only ${ACCEPTED.join(', ')} can be read`);
  if (file.size > MAX_FILE_BYTES) throw new Error('The file is larger than 50 MB');
  const name = file.name.slice(0, file.name.length - ending.length).slice(0, 200) || file.name;
  const read = await readAs(ending, file);
  if (read.text.trim() === '')
    throw new Error(
      ending === '.pdf'
        ? 'The PDF has no text: it is probably a scan. Recognize its text (OCR) first'
        : 'The file has no text',
    );
  return { title: (read.title ?? name).slice(0, 200), text: read.text };
}

async function readAs(ending: string, file: File): Promise<{ title?: string | undefined; text: string }> {
  if (ending === '.pdf') {
    const { pdfText } = await import('./pdf-text.ts');
    const text = await pdfText(await file.arrayBuffer()).catch((cause: unknown) => {
      throw new Error('The PDF cannot be read: it is broken or needs a password', { cause });
    });
    return { text };
  }
  const text = decode(await file.arrayBuffer());
  return ending === '.html' || ending === '.htm' ? htmlText(text) : { text };
}

/** UTF-8, and what older programs of Windows write. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
