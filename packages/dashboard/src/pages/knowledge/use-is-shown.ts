import { useEffect, useRef } from 'react';

/** A ref: whether the component is mounted. Uploads go on after the dialog was closed, and then report errors elsewhere. */
export function useIsShown() {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
