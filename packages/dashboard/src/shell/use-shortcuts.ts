import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isDialogOpen } from '../app/is-dialog-open.ts';
import { isTyping } from '../app/is-typing.ts';
import { NAV_ITEMS } from './nav.ts';
import { overlay } from './overlay.ts';

const SEQUENCE_MS = 1_200;
const DIALOGS = 'dialog, [role="dialog"]';

/** `/`, `?`, Ctrl or Cmd with K, and `g` followed by the key of a place. Not while the person types or a dialog is open. */
export function useShortcuts(): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        if (document.querySelector(DIALOGS) === null) overlay.set('commands');
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event) || isDialogOpen()) return;
      const isSecond = performance.now() < goUntil;
      goUntil = 0;
      if (isSecond) {
        const place = NAV_ITEMS.find(({ key }) => key === event.key);
        if (!place) return;
        event.preventDefault();
        void navigate({ to: place.to });
        return;
      }
      if (event.key === 'g') goUntil = performance.now() + SEQUENCE_MS;
      else if (event.key === '?') overlay.set('shortcuts');
      else if (event.key === '/') {
        event.preventDefault();
        const field = document.querySelector<HTMLInputElement>('main [data-search]');
        if (field) field.focus();
        else overlay.set('commands');
      }
    };
    // Before the page's own keys, which leave alone what is handled here: `g` and `k` is no `k`.
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, [navigate]);
}
