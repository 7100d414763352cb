import { useEffect } from 'react';
import { focusOn, placeOf } from './focus-place.ts';
import { lastPlace, ownerOf, type Place } from './last-focus.ts';

/** Where the focus was before the dialogs that are open; one dialog may follow another. */
let origin: Place | undefined;
let openDialogs = 0;

/**
 * Gives the focus back to where it was before a dialog, or to what is beside it if that is gone [dashboard.34]. Mantine does so only for
 * dialogs that stay in the page while they are closed; ours are loaded when they are opened.
 */
export function useFocusReturn(): void {
  useEffect(() => {
    const control = focusedControl();
    const before = control ? placeOf(control) : (origin ?? lastPlace());
    origin = before;
    openDialogs += 1;
    return () => {
      openDialogs -= 1;
      window.setTimeout(() => {
        if (document.activeElement === document.body && before) focusOn(before());
        if (openDialogs === 0) origin = undefined;
      });
    };
  }, []);
}

function focusedControl(): HTMLElement | null {
  const { activeElement: active } = document;
  return active instanceof HTMLElement && active !== document.body ? ownerOf(active) : null;
}
