import type { IncomingRequestMessage, SessionDialog } from 'sip.js/lib/core/index.js';

/** The key of an INFO request: `Signal=5` (application/dtmf-relay), or the key alone (application/dtmf). */
export function keyOfInfo(message: IncomingRequestMessage): string | undefined {
  const type = (message.getHeader('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/dtmf-relay' && type !== 'application/dtmf') return undefined;
  const text =
    type === 'application/dtmf' ? message.body : /^\s*signal\s*=\s*(\S+)/im.exec(message.body)?.[1];
  const key = (text ?? '').trim().toUpperCase();
  // Some far ends send the event number of RFC 4733.
  if (key === '10') return '*';
  if (key === '11') return '#';
  return /^[0-9*#A-D]$/.test(key) ? key : undefined;
}

/** Presses a key by INFO. False: the far end does not support it. */
export const sendInfoKey = (session: SessionDialog, key: string): Promise<boolean> =>
  new Promise((resolve) => {
    const content = `Signal=${key}\r\nDuration=100\r\n`;
    session.info(
      { onAccept: () => resolve(true), onReject: () => resolve(false), onRedirect: () => resolve(false) },
      { body: { contentDisposition: 'render', contentType: 'application/dtmf-relay', content } },
    );
  });
