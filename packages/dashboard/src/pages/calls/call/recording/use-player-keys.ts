import { useEffect } from 'react';
import { isDialogOpen } from '../../../../app/is-dialog-open.ts';
import type { Playback } from './playback.ts';

const STEP_MS = 5_000;
/** These have keys of their own. */
const OWN_KEYS =
  'input, textarea, select, [contenteditable], [role="tab"], [role="slider"], [role="menu"], [role="dialog"], [role="radio"]';
const BUTTONS = 'button, a, [role="button"], summary';

/** Space or K plays and pauses, the arrows go five seconds, N and P to the next and the previous turn. */
export function usePlayerKeys(playback: Playback | undefined, jump: (turns: 1 | -1) => void): void {
  useEffect(() => {
    if (!playback) return;
    const onKey = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      if (isDialogOpen()) return;
      if (target instanceof Element && target.closest(OWN_KEYS)) return;
      if (key === ' ' && target instanceof Element && target.closest(BUTTONS)) return;
      const action = actionOf(key, playback, jump);
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [playback, jump]);
}

function actionOf(key: string, playback: Playback, jump: (turns: 1 | -1) => void): (() => void) | undefined {
  switch (key) {
    case ' ':
    case 'k':
      return playback.toggle;
    case 'ArrowLeft':
      return () => playback.skip(-STEP_MS);
    case 'ArrowRight':
      return () => playback.skip(STEP_MS);
    case 'n':
      return () => jump(1);
    case 'p':
      return () => jump(-1);
    default:
      return undefined;
  }
}
