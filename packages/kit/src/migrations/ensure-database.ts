import { Client, escapeIdentifier } from 'pg';
import { realSleep } from '../time/index.ts';

const MISSING = '3D000';
/** Another process created it first. */
const EXISTS = new Set(['42P04', '23505']);
/** The template is in use by another CREATE DATABASE. */
const TEMPLATE_IN_USE = '55006';
const ATTEMPTS = 20;

/** Connects to the database, and creates it if it doesn't exist. The caller closes the connection. */
export async function connectOrCreate(databaseUrl: string): Promise<Client> {
  try {
    return await connect(databaseUrl);
  } catch (err) {
    if (codeOf(err) !== MISSING) throw err;
  }
  await createDatabase(databaseUrl);
  return connect(databaseUrl);
}

async function createDatabase(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  const name = decodeURIComponent(url.pathname.slice(1));
  url.pathname = '/postgres';
  const client = await connect(url.href);
  try {
    await createOnce(client, name);
  } finally {
    await client.end();
  }
}

async function createOnce(client: Client, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // The default template may have another encoding than UTF-8.
      await client.query(`CREATE DATABASE ${escapeIdentifier(name)} ENCODING 'UTF8' TEMPLATE template0`);
      return;
    } catch (err) {
      const code = codeOf(err);
      if (code !== undefined && EXISTS.has(code)) return;
      if (code !== TEMPLATE_IN_USE || attempt >= ATTEMPTS) throw err;
      await realSleep(100);
    }
  }
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({
    connectionString,
    connectionTimeoutMillis: 5_000,
    application_name: 'parley-migrate',
  });
  // A lost connection also rejects the running query; without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}

function codeOf(err: unknown): string | undefined {
  return err instanceof Error && 'code' in err ? String(err.code) : undefined;
}
