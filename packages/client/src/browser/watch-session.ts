/** Before a session there is none that could end: a 401 of these routes is about a password, a code or a token. */
const SIGN_IN = /\/dashboard\/api\/(session($|\/)|invitations\/|password\/|sign-in-methods)/;

/** A `fetch` that reports when the session of a page has ended, with the time (`performance.now()`) of the refused request. */
export function watchSession(given: typeof fetch, onSessionEnd: (sentAt: number) => void): typeof fetch {
  return async (input, init) => {
    const sentAt = performance.now();
    const response = await given(input, init);
    if (response.status === 401 && !SIGN_IN.test(String(input))) onSessionEnd(sentAt);
    return response;
  };
}
