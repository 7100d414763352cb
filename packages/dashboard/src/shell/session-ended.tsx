import { sessionEnd } from '../app/session-end.ts';
import { useStore } from '../app/store.ts';
import { lazyDialog } from '../components/lazy-component.tsx';

const SessionEndedDialog = lazyDialog(() => import('./session-ended-dialog.tsx'), 'SessionEndedDialog');

export function SessionEnded() {
  const isEnded = useStore(sessionEnd);
  return isEnded ? <SessionEndedDialog /> : null;
}
