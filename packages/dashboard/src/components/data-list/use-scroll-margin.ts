import { type RefObject, useLayoutEffect, useRef, useState } from 'react';

/** An element, and its distance from the top of the page. */
export function useScrollMargin<E extends HTMLElement>(): { ref: RefObject<E | null>; scrollMargin: number } {
  const ref = useRef<E>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  // What is above the element may change its height at any time.
  useLayoutEffect(() => {
    const top = ref.current?.getBoundingClientRect().top ?? 0;
    const margin = Math.round(top + window.scrollY);
    if (margin !== scrollMargin) setScrollMargin(margin);
  });
  return { ref, scrollMargin };
}
