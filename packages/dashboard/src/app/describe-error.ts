import { ParleyError } from '@parley/client/browser';

/** A part of the page could not be loaded. A new version of the dashboard replaces the files of an old one. */
export function isLoadFailure(error: unknown): boolean {
  return /dynamically imported module|module script|preload CSS/i.test(String(error));
}

/** Whether the platform may have accepted the request all the same. */
export function hasNoResponse(error: unknown): boolean {
  return error instanceof ParleyError && (error.code === 'NO_CONNECTION' || error.code === 'TIMEOUT');
}

/** An error in words for people: what happened, and what they can do. */
export function describeError(error: unknown): { heading: string; message: string } {
  if (isLoadFailure(error))
    return {
      heading: 'A part of this page could not be loaded',
      message: 'A newer version of the dashboard is available, or the network is down.',
    };
  if (!(error instanceof ParleyError)) {
    return {
      heading: 'This page has a defect',
      message: error instanceof Error ? error.message : String(error),
    };
  }
  const { code, status, message } = error;
  if (code === 'NO_CONNECTION')
    return { heading: 'No connection', message: 'The platform cannot be reached. Is your network up?' };
  if (code === 'TIMEOUT')
    return { heading: 'No response', message: 'The platform did not respond in time. Try again.' };
  if (code === 'RATE_LIMITED') return { heading: 'Too many requests', message: waitFor(error) };
  // The draft is as it was sent, and something that belongs to it has changed, such as the variables of an assistant.
  if (code === 'IDEMPOTENCY_KEY_REUSED')
    return {
      heading: 'Sent before',
      message:
        'An earlier attempt was accepted: see what it made. To send it once more, change something first.',
    };
  if (status === 401) return { heading: 'Not signed in', message };
  if (status === 403) return { heading: 'Not permitted', message };
  if (status === 404) return { heading: 'Not found', message };
  if (status === 409) return { heading: 'Not possible now', message };
  if (status === 422) return { heading: 'Please check your input', message };
  if (status === 503)
    return {
      heading: 'Temporarily unavailable',
      message: 'A service of the platform is being restarted or is overloaded. Try again in a moment.',
    };
  return { heading: 'Something went wrong', message };
}

function waitFor({ retryAfterMs }: ParleyError): string {
  if (retryAfterMs === undefined) return 'Wait a moment, then try again.';
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return seconds < 90
    ? `Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, then try again.`
    : `Wait ${Math.ceil(seconds / 60)} minutes, then try again.`;
}

/** What was asked for does not exist, or no longer. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ParleyError && error.status === 404;
}

/** The messages of a `VALIDATION_FAILED` by field, for the errors of a form. */
export function errorsByField(error: unknown): Record<string, string> {
  if (!(error instanceof ParleyError)) return {};
  return Object.fromEntries(error.details.map(({ path, message }) => [path, message]));
}
