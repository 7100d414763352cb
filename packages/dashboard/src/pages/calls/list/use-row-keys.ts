import { useEffect } from 'react';
import { isDialogOpen } from '../../../app/is-dialog-open.ts';
import { isTyping } from '../../../app/is-typing.ts';

const LINK = '[data-row-link]';

/** Arrows, and J and K, move from row to row. While no row has the focus, J and K begin at the first row in view; arrows scroll. */
export function useRowKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented)
        return;
      if (isTyping(event) || isDialogOpen()) return;
      const rows = [...document.querySelectorAll(`tr:has(${LINK})`)];
      const focused = rows.findIndex((row) => row.contains(document.activeElement));
      if (focused === -1 && event.key.startsWith('Arrow')) return;
      const next = focused === -1 ? rows.find(isInView) : rows[focused + step];
      if (!next) return;
      event.preventDefault();
      next.querySelector<HTMLElement>(LINK)?.focus({ preventScroll: true });
      next.scrollIntoView({ block: 'nearest' });
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Not behind the titles, which the row's scroll margin leaves room for. */
const isInView = (row: Element): boolean =>
  row.getBoundingClientRect().top >= Number.parseFloat(getComputedStyle(row).scrollMarginTop);
