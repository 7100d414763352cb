type Child = Node | string;

/** An element with attributes and children: without HTML as text, which strict policies forbid. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...children);
  return created;
}

const SVG = 'http://www.w3.org/2000/svg';

/** An icon of 24 by 24, drawn as lines. */
export function icon(...paths: string[]): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  for (const d of paths) {
    const path = document.createElementNS(SVG, 'path');
    path.setAttribute('d', d);
    svg.append(path);
  }
  return svg;
}

export const ICONS = {
  microphone: [
    'M12 3a3 3 0 0 0-3 3v6a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3Z',
    'M5.5 11.5a6.5 6.5 0 0 0 13 0',
    'M12 18v3',
  ],
  muted: [
    'M9 9v3a3 3 0 0 0 5 2.2',
    'M15 11V6a3 3 0 0 0-5.8-1',
    'M5.5 11.5a6.5 6.5 0 0 0 10.6 5',
    'M18.5 11.5c0 .7-.1 1.4-.3 2',
    'M12 18v3',
    'M4 4l16 16',
  ],
  end: [
    'M3.5 14.5c-.7-.8-.7-2 .1-2.9 4.6-4.6 12.200-4.600 16.800 0 .8.9.8 2.100.1 2.900l-1.300 1.300c-.6.6-1.600.7-2.300.2l-1.900-1.200a1.700 1.700 0 0 1-.8-1.600l.1-1.200a11 11 0 0 0-4.600 0l.1 1.200c.1.600-.2 1.200-.8 1.600L7.100 16c-.7.5-1.700.4-2.300-.2z',
  ],
  send: ['M5 12h13', 'M12.500 6.500 18 12l-5.500 5.500'],
  close: ['M6 6l12 12', 'M18 6 6 18'],
  down: ['M6 9.500 12 15.500l6-6'],
  wave: ['M4 10.500v3', 'M8 7v10', 'M12 4v16', 'M16 8v8', 'M20 10.500v3'],
} as const;
