/**
 * A text that ends in an ellipsis gets the whole text as its title when a person points at it: to measure every cell of a list whenever it
 * is shown would make the list slow.
 */
export function titleCutTexts(): void {
  document.addEventListener('mouseover', ({ target }) => {
    let element = target instanceof HTMLElement ? target : null;
    while (element && getComputedStyle(element).textOverflow !== 'ellipsis') element = element.parentElement;
    if (!element) return;
    const isCut = element.scrollWidth > element.clientWidth;
    if (isCut && !hasTitle(element)) {
      element.title = element.textContent;
      element.dataset.cut = '';
    } else if (!isCut && element.dataset.cut !== undefined) {
      element.removeAttribute('title');
      delete element.dataset.cut;
    }
  });
}

/** One that was not made here, around the text or in it. */
function hasTitle(element: HTMLElement): boolean {
  const given = '[title]:not([data-cut])';
  return element.closest(given) !== null || element.querySelector(given) !== null;
}
