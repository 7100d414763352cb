import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { lazyDialog } from '../components/lazy-component.tsx';

const load = () => import('./leave-dialog.tsx');
const LeaveDialog = lazyDialog(load, 'LeaveDialog');

type Props = {
  isDirty: boolean;
  onDiscard: () => void;
  /** "this assistant" */
  what: string;
};

/** Asks before a page with unsaved changes is left: stay, keep them as a draft in this browser, or discard them. */
export function LeaveGuard({ isDirty, onDiscard, what }: Props) {
  const blocker = useBlocker({
    // Another search or hash is still the same page.
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  useEffect(() => {
    // When the person leaves, the network may be gone. What fails here is tried again when it is needed.
    if (isDirty) load().catch(() => undefined);
  }, [isDirty]);
  if (blocker.status !== 'blocked') return null;
  return (
    <LeaveDialog
      what={what}
      onDiscard={() => {
        onDiscard();
        blocker.proceed();
      }}
      onLeave={blocker.proceed}
      onClose={blocker.reset}
    />
  );
}
