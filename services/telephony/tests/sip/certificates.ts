import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The paths of a certificate, its key, and both in one file. */
export type Certificate = { cert: string; key: string; both: string };

export type Authority = {
  /** The path and the text of its own certificate. */
  file: string;
  pem: string;
  /** A certificate for names or addresses; `days` below zero: one that has expired. */
  issue(names: string | readonly string[], days?: number): Promise<Certificate>;
  /** A certificate that no authority has signed. */
  selfSigned(name: string): Promise<Certificate>;
  remove(): Promise<void>;
};

const DAY_MS = 86_400_000;
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** Certificates by openssl, in a folder of their own. */
export async function createAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-certificates-'));
  const at = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' });
  const selfSign = (file: string, name: string): void =>
    openssl(
      ...['req', '-x509', ...KEY, '-days', '2', '-keyout', at(`${file}.key`), '-out', at(`${file}.crt`)],
      ...['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`],
    );
  selfSign('authority', 'authority.parley.example');
  let issued = 0;

  const certificate = async (file: string): Promise<Certificate> => {
    const [cert, key, both] = [at(`${file}.crt`), at(`${file}.key`), at(`${file}.pem`)];
    await writeFile(both, `${await readFile(key, 'utf8')}\n${await readFile(cert, 'utf8')}`);
    return { cert, key, both };
  };

  return {
    file: at('authority.crt'),
    pem: await readFile(at('authority.crt'), 'utf8'),
    async issue(names, days = 2) {
      issued += 1;
      const all = [names].flat();
      const file = `issued-${issued}`;
      openssl(
        'req',
        '-new',
        ...KEY,
        '-keyout',
        at(`${file}.key`),
        '-out',
        at(`${file}.csr`),
        '-subj',
        `/CN=${all[0]}`,
      );
      const others = all.map((name) => `${isIP(name) === 0 ? 'DNS' : 'IP'}:${name}`);
      await writeFile(at(`${file}.ext`), `subjectAltName=${others.join(',')}\n`);
      await writeFile(at(`${file}.index`), '');
      await writeFile(
        at(`${file}.cnf`),
        [
          '[ca]',
          'default_ca = own',
          '[own]',
          `database = ${at(`${file}.index`)}`,
          `new_certs_dir = ${folder}`,
          'rand_serial = yes',
          'default_md = sha256',
          'policy = any',
          '[any]',
          'commonName = supplied',
        ].join('\n'),
      );
      const date = (inDays: number): string =>
        `${new Date(Date.now() + inDays * DAY_MS).toISOString().replace(/[-:T]|\.\d+/g, '')}`;
      openssl(
        ...['ca', '-batch', '-notext', '-config', at(`${file}.cnf`), '-in', at(`${file}.csr`)],
        ...['-cert', at('authority.crt'), '-keyfile', at('authority.key'), '-out', at(`${file}.crt`)],
        ...[
          '-extfile',
          at(`${file}.ext`),
          '-startdate',
          date(Math.min(-1, days - 1)),
          '-enddate',
          date(days),
        ],
      );
      return certificate(file);
    },
    async selfSigned(name) {
      selfSign('self-signed', name);
      return certificate('self-signed');
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
