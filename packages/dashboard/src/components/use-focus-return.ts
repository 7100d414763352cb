import { useEffect } from 'react';

/** Where the focus was before the dialogs that are open; one dialog may follow another. */
let origin: HTMLElement | null = null;

/**
 * Gives the focus back to where it was before a dialog [dashboard.34]. Mantine does so only for dialogs that stay in the page while they are
 * closed; ours are loaded when they are opened.
 */
export function useFocusReturn(): void {
  useEffect(() => {
    const before = focusedControl() ?? origin;
    origin = before;
    return () => {
      window.setTimeout(() => {
        if (document.activeElement === document.body) before?.focus();
      });
    };
  }, []);
}

/** Of an item of a menu, which is gone by then: the button of the menu. */
function focusedControl(): HTMLElement | null {
  const { activeElement: active } = document;
  if (!(active instanceof HTMLElement) || active === document.body) return null;
  const menu = active.closest('[role="menu"]');
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : active;
}
