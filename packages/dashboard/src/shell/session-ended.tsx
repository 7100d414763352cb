import { Suspense } from 'react';
import { lazyComponent } from '../app/lazy-component.ts';
import { sessionEnd } from '../app/session-end.ts';
import { useStore } from '../app/store.ts';

const SessionEndedDialog = lazyComponent(() => import('./session-ended-dialog.tsx'), 'SessionEndedDialog');

export function SessionEnded() {
  const isEnded = useStore(sessionEnd);
  return <Suspense>{isEnded ? <SessionEndedDialog /> : null}</Suspense>;
}
