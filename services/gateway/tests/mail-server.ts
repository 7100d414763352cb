import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type Letter = { from: string; to: string[]; headers: string; text: string };

/** A real SMTP server with a password. It stores the mails that it accepts, and rejects or interrupts those that the test chooses. */
export async function mailServer() {
  const letters: Letter[] = [];
  const state = { failures: 0, refuses: '' };
  const server = new SMTPServer({
    authOptional: false,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'parley' && password === 'pass word'
        ? done(null, { user: username })
        : done(new Error('no such user')),
    onRcptTo: ({ address }, _session, done) => {
      if (address !== state.refuses) return done();
      done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (state.failures > 0) {
          state.failures -= 1;
          return done(Object.assign(new Error('busy'), { responseCode: 451 }));
        }
        letters.push(read(Buffer.concat(chunks).toString('utf8'), envelope));
        done();
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://parley:pass%20word@127.0.0.1:${port}`,
    letters,
    state,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

type Envelope = { mailFrom: false | { address: string }; rcptTo: { address: string }[] };

function read(raw: string, { mailFrom, rcptTo }: Envelope): Letter {
  const [headers = '', ...body] = raw.split('\r\n\r\n');
  const encoded = body.join('\n\n');
  const text = /quoted-printable/i.test(headers)
    ? encoded
        .replace(/=\r?\n/g, '')
        .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : encoded;
  return {
    from: mailFrom ? mailFrom.address : '',
    to: rcptTo.map(({ address }) => address),
    headers,
    text,
  };
}
