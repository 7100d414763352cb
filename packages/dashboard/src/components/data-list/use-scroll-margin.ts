import { type RefCallback, useCallback, useState } from 'react';

/** A ref for an element, and the element's distance from the top of the page. */
export function useScrollMargin<E extends HTMLElement>(): { ref: RefCallback<E>; scrollMargin: number } {
  const [scrollMargin, setScrollMargin] = useState(0);
  const ref = useCallback((element: E | null) => {
    if (!element) return;
    const measure = () => setScrollMargin(Math.round(element.getBoundingClientRect().top + window.scrollY));
    measure();
    // What is above the element may change its height at any time, and with it that of the page. Measured after the layout: to ask in
    // each render, as while scrolling, would lay the page out twice.
    const observer = new ResizeObserver(measure);
    observer.observe(element.closest('main') ?? document.body);
    return () => observer.disconnect();
  }, []);
  return { ref, scrollMargin };
}
