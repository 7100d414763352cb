import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * After a page change the focus is on the heading of the new page, as after the load of a document: Tab goes on from there, and a screen
 * reader reads it [dashboard.34].
 */
export function useHeadingFocus(): void {
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const former = useRef(pathname);
  useEffect(() => {
    const isChange = former.current !== undefined && former.current !== pathname;
    former.current = pathname;
    if (isChange) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [pathname]);
}
