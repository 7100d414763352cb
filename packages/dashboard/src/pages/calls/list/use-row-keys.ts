import { useEffect } from 'react';
import { isDialogOpen } from '../../../app/is-dialog-open.ts';
import { isTyping } from '../../../app/is-typing.ts';

/** Arrows, and J and K, move from row to row. While no row has the focus, J and K begin at the first row in view; arrows scroll. */
export function useRowKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
      if (step === undefined || event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented)
        return;
      if (isTyping(event) || isDialogOpen()) return;
      const links = [...document.querySelectorAll<HTMLElement>('[data-row-link]')];
      const focused = links.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
      if (focused === -1 && event.key.startsWith('Arrow')) return;
      const next = focused === -1 ? links.find(isInView) : links[focused + step];
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: 'nearest' });
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

const isInView = (link: HTMLElement): boolean => link.getBoundingClientRect().top >= 0;
