import { useEffect } from 'react';
import { focusOn } from '../components/focus-place.ts';
import { notePlace, ownerOf, type Place } from '../components/last-focus.ts';

/** Rows that are scrolled away take the focus with them. */
const SCROLL_MS = 300;

/**
 * When the control that has the focus goes away, as the button of a row that was deleted, the focus goes to what is beside it instead of
 * the top of the document [dashboard.34]. After a dialog or a page change it is elsewhere (`useFocusReturn`, `useHeadingFocus`).
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: { control: HTMLElement; dialog: Element | null; find: Place | undefined } | undefined;
    let scrolledAt = Number.NEGATIVE_INFINITY;
    const onFocus = ({ target }: FocusEvent) => {
      const control = target instanceof HTMLElement ? ownerOf(target) : null;
      last = undefined;
      if (!control?.closest('main, nav, aside, [role="dialog"]')) return;
      last = { control, dialog: control.closest('[role="dialog"]'), find: notePlace(control) };
    };
    // A person who clicks beside it has left it.
    const onPointerDown = ({ target }: PointerEvent) => {
      if (target instanceof Node && last?.control.contains(target)) return;
      last = undefined;
      notePlace(undefined);
    };
    const onScroll = () => {
      scrolledAt = performance.now();
    };
    const observer = new MutationObserver(() => {
      if (!last || last.control.isConnected) return;
      const { dialog, find } = last;
      last = undefined;
      const isScrolling = performance.now() - scrolledAt < SCROLL_MS;
      const isClosed = dialog !== null && !dialog.isConnected;
      if (document.activeElement === document.body && !isScrolling && !isClosed) focusOn(find?.() ?? null);
    });
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', onFocus);
    document.addEventListener('pointerdown', onPointerDown, { capture: true });
    document.addEventListener('scroll', onScroll, { capture: true, passive: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('pointerdown', onPointerDown, { capture: true });
      document.removeEventListener('scroll', onScroll, { capture: true });
    };
  }, []);
}
