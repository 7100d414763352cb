/** Routes for people who are not signed in: their 401 is about a password, a code or a token, not about the end of a session. */
const SIGN_IN = /\/dashboard\/api\/(session($|\/)|invitations\/|password\/|sign-in-methods)/;

type Handlers = { onSessionEnd: (sentAt: number) => void; onConflict: () => void };

/**
 * A `fetch` that reports the end of a page's session, with the time (`performance.now()`) at which the refused request was sent, and every
 * 409, since one of them means that another workspace was selected in the session.
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
