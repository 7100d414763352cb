import { GlobalWorkerOptions, getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';

let hasWorker = false;

/** The text layer of a PDF, page by page. A scan has none: then the text is empty. Rejects for a broken or locked file. */
export async function pdfText(data: ArrayBuffer): Promise<string> {
  if (!hasWorker) {
    const worker = new Worker(new URL('pdfjs-dist/legacy/build/pdf.worker.mjs', import.meta.url), {
      type: 'module',
    });
    GlobalWorkerOptions.workerPort = worker;
    hasWorker = true;
  }
  const task = getDocument({ data, disableFontFace: true });
  try {
    const pdf = await task.promise;
    const pages: string[] = [];
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      pages.push(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''));
      page.cleanup();
    }
    return pages.join('\n\n').trim();
  } finally {
    await task.destroy();
  }
}
