/** Before a session there is none that could end: a 401 of these routes is about a password, a code or a token. */
const SIGN_IN = /\/dashboard\/api\/(session($|\/)|invitations\/|password\/|sign-in-methods)/;

type Handlers = { onSessionEnd: (sentAt: number) => void; onConflict: () => void };

/**
 * A `fetch` that reports when the session of a page has ended, with the time (`performance.now()`) of the refused request, and conflicts,
 * of which one is that the session has another workspace now.
 */
export function watchSession(given: typeof fetch, { onSessionEnd, onConflict }: Handlers): typeof fetch {
  return async (input, init) => {
    const sentAt = performance.now();
    const response = await given(input, init);
    if (response.status === 401 && !SIGN_IN.test(String(input))) onSessionEnd(sentAt);
    if (response.status === 409) onConflict();
    return response;
  };
}
