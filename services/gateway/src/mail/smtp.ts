import type { Lifecycle } from '@parley/kit/lifecycle';
import { createTransport } from 'nodemailer';
import type { Config } from '../config.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** Shorter than the lease of a mail. */
const SOCKET_TIMEOUT_MS = 20_000;

/** `id` becomes the Message-ID, so that mail clients recognize a duplicate. */
export type OutgoingMail = { id: string; to: string; subject: string; text: string };
export type Mailer = ReturnType<typeof createSmtp>;

/** The operator's mail server. */
export function createSmtp({ SMTP_URL: url = '', MAIL_FROM: from = '' }: Config, lifecycle: Lifecycle) {
  const transport = createTransport({
    url: withTls(url),
    pool: true,
    maxConnections: 1,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof createTransport>[0]);
  lifecycle.onStop('mail', async () => transport.close());
  const domain =
    from
      .split('@')
      .at(-1)
      ?.replace(/[^\w.-]/g, '') ?? 'parley';
  return {
    /** Throws if the server is unreachable or rejects temporarily. False: it rejects this mail for good. */
    send: async ({ id, to, subject, text }: OutgoingMail): Promise<boolean> => {
      try {
        // As an object, so that an address is never parsed as a list.
        const message = {
          from,
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${id}@${domain}>`,
        };
        await transport.sendMail({ ...message, headers: { 'auto-submitted': 'auto-generated' } });
        return true;
      } catch (err) {
        if (isRefusal(err)) return false;
        throw err;
      }
    },
  };
}

/** Plain SMTP requires STARTTLS, except on this machine or if the URL says otherwise. */
function withTls(value: string): string {
  const url = new URL(value);
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url.protocol === 'smtp:' && !isLocal && !url.searchParams.has('requireTLS'))
    url.searchParams.set('requireTLS', 'true');
  return url.href;
}

/** A permanent error about this mail, not about our account or sender address. */
function isRefusal(err: unknown): boolean {
  const { responseCode = 0, command = '' } = err as { responseCode?: number; command?: string };
  return responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
}
