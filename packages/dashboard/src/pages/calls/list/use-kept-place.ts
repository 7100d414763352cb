import { useElementScrollRestoration } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * After the page was loaded again, scrolls to where the person was, once the list is there. The router does so when the page is rendered,
 * which is too short by then. With other filters, it is another list.
 */
export function useKeptPlace(filters: object, hasRows: boolean): void {
  const place = useElementScrollRestoration({ getElement: () => window });
  const kept = useRef({ filters, top: hasRows ? 0 : (place?.scrollY ?? 0) });
  useEffect(() => {
    const { current } = kept;
    if (current.filters !== filters) current.top = 0;
    if (!hasRows || current.top === 0) return;
    // Only down: the router has come as far as the short page allowed.
    if (window.scrollY < current.top) window.scrollTo({ top: current.top });
    current.top = 0;
  }, [filters, hasRows]);
}
