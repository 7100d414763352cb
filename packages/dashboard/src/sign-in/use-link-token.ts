import { useState } from 'react';

/** The token after `#` of a link, which servers never see. Removed from the address, so that it stays in no history. */
export function useLinkToken(): string {
  const [token] = useState(() => {
    const found = window.location.hash.slice(1);
    if (found !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
    return found;
  });
  return token;
}
