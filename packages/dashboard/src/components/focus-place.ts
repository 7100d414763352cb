const CONTROLS = 'a[href], button, input, select, textarea, [tabindex="0"]';
/** Whose siblings are of one kind, however many controls they have. */
const ROWS = /^(?:TR|LI)$/;

type Level = { element: Element; next: Element | null; previous: Element | null };

/**
 * Notes where a control is, and returns the function that finds where the focus belongs when the control may be gone [dashboard.34]: the
 * control itself; what has taken its place, with the same name; the same control of the next row or card, or of the one before; or the
 * heading above.
 */
export function placeOf(control: HTMLElement): () => HTMLElement | null {
  const name = nameOf(control);
  const levels = levelsOf(control);
  return () => {
    if (isUsable(control)) return control;
    const at = levels.findIndex(({ element }) => element.isConnected);
    const home = levels[at]?.element;
    if (!home) return headingOf(document.body);
    const same = controlsIn(home).filter((one) => one.tagName === control.tagName && nameOf(one) === name);
    if (name !== '' && same.length === 1 && same[0]) return same[0];
    const gone = levels[at - 1];
    const row = gone && gone.element !== control ? gone : undefined;
    return (row && inNeighbor(row, control)) ?? headingOf(home);
  };
}

/** Without a scroll; a heading can have the focus from then on. */
export function focusOn(element: HTMLElement | null): void {
  if (!element) return;
  if (!element.matches(CONTROLS) && !element.hasAttribute('tabindex')) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

function levelsOf(control: Element): Level[] {
  const levels: Level[] = [];
  for (let element: Element | null = control; element && element !== document.body; ) {
    levels.push({ element, next: element.nextElementSibling, previous: element.previousElementSibling });
    element = element.parentElement;
  }
  return levels;
}

function inNeighbor({ element, next, previous }: Level, control: HTMLElement): HTMLElement | undefined {
  const all = [...element.querySelectorAll(CONTROLS)];
  const fromEnd = all.indexOf(control) - all.length;
  for (const neighbor of [next, previous]) {
    if (!neighbor?.isConnected || !isAlike(element, neighbor, all.length)) continue;
    const usable = controlsIn(neighbor);
    const found = usable.at(fromEnd) ?? usable.at(-1);
    if (found) return found;
  }
  return undefined;
}

function isAlike(element: Element, neighbor: Element, controls: number): boolean {
  if (element.tagName !== neighbor.tagName || element.className !== neighbor.className) return false;
  return ROWS.test(element.tagName) || neighbor.querySelectorAll(CONTROLS).length === controls;
}

function headingOf(element: Element): HTMLElement | null {
  for (let around = element.closest('section, [role="dialog"]'); around; ) {
    if (around.matches('[role="dialog"]')) return around as HTMLElement;
    const heading = around.querySelector<HTMLElement>('h2, h3');
    if (heading) return heading;
    around = around.parentElement?.closest('section, [role="dialog"]') ?? null;
  }
  return document.querySelector<HTMLElement>('main h1');
}

function controlsIn(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(CONTROLS)].filter(isUsable);
}

function isUsable(control: HTMLElement): boolean {
  return (
    control.isConnected && control.tabIndex >= 0 && !control.matches(':disabled') && control.checkVisibility()
  );
}

function nameOf(control: HTMLElement): string {
  return control.getAttribute('aria-label') ?? control.textContent?.trim() ?? '';
}
