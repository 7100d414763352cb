import { lazy, Suspense } from 'react';
import { sessionEnd } from '../app/session-end.ts';
import { useStore } from '../app/store.ts';

const SessionEndedDialog = lazy(() =>
  import('./session-ended-dialog.tsx').then(({ SessionEndedDialog: dialog }) => ({ default: dialog })),
);

export function SessionEnded() {
  const isEnded = useStore(sessionEnd);
  return <Suspense>{isEnded ? <SessionEndedDialog /> : null}</Suspense>;
}
