import { useElementScrollRestoration } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * After the page was loaded again, scrolls to where the person was, once the list is there. The router does so when the page is rendered,
 * which is too short by then.
 */
export function useKeptPlace(hasRows: boolean): void {
  const place = useElementScrollRestoration({ getElement: () => window });
  const [keptTop, setKeptTop] = useState(hasRows ? 0 : (place?.scrollY ?? 0));
  useEffect(() => {
    if (!hasRows || keptTop === 0) return;
    setKeptTop(0);
    // Unless the person has scrolled meanwhile.
    if (window.scrollY < keptTop) window.scrollTo({ top: keptTop });
  }, [hasRows, keptTop]);
}
