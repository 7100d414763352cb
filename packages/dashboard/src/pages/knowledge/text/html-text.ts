const SKIPPED = 'script, style, noscript, template, svg, nav, iframe, object';
const BLOCKS = new Set(
  'ADDRESS ARTICLE ASIDE BLOCKQUOTE BR DD DIV DL DT FIGCAPTION FOOTER H1 H2 H3 H4 H5 H6 HEADER HR LI MAIN OL P PRE SECTION TABLE TR UL'.split(
    ' ',
  ),
);

/** The words of an HTML document. It is parsed without running or loading anything. */
export function htmlText(html: string): { title: string | undefined; text: string } {
  const document = new DOMParser().parseFromString(html, 'text/html');
  for (const element of document.querySelectorAll(SKIPPED)) element.remove();
  const text = read(document.body)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return { title: document.title.trim() || undefined, text };
}

function read(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return (node.textContent ?? '').replace(/\s+/g, ' ');
  const inner = [...node.childNodes].map(read).join('');
  if (!(node instanceof Element)) return inner;
  if (node.tagName === 'TD' || node.tagName === 'TH') return `${inner} `;
  return BLOCKS.has(node.tagName) ? `\n${inner}\n` : inner;
}
