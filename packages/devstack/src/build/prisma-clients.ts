import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runProgram } from '../processes/run-program.ts';
import { serviceFolder } from '../stack/folders.ts';
import { SERVICES } from '../stack/services.ts';
import { Problem } from '../terminal/problem.ts';

const require = createRequire(import.meta.url);
const AT_ONCE = 2;

/** Generates the Prisma client of each service whose schema has changed since the last time; returns their names. */
export async function generatePrismaClients(): Promise<string[]> {
  const packageFile = require.resolve('prisma/package.json');
  const cli = join(packageFile, '../build/index.js');
  const version = readFileSync(packageFile, 'utf8');
  const stale = SERVICES.filter((service) => existsSync(schemaOf(service)) && isStale(service, version));
  const queue = [...stale];
  const worker = async () => {
    for (let service = queue.shift(); service; service = queue.shift()) {
      await generate(cli, service);
      writeFileSync(stampOf(service), fingerprint(service, version));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return stale;
}

async function generate(cli: string, service: string): Promise<void> {
  const folder = serviceFolder(service);
  rmSync(stampOf(service), { force: true });
  const result = await runProgram(process.execPath, [cli, 'generate', '--schema', schemaOf(service)], {
    cwd: folder,
    env: {
      ...process.env,
      // Prisma would download its schema engine, which nothing here needs; any existing file prevents that.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
    timeoutMs: 120_000,
  });
  if (!result.ok)
    throw new Problem(`${result.stdout}\n${result.stderr}\nprisma generate has failed for ${service}.`);
}

const schemaOf = (service: string) => join(serviceFolder(service), 'prisma/schema.prisma');
const outputOf = (service: string) => join(serviceFolder(service), 'src/generated/prisma/client.ts');
const stampOf = (service: string) => join(serviceFolder(service), 'src/generated/prisma.sha256');

function isStale(service: string, version: string): boolean {
  if (!existsSync(outputOf(service)) || !existsSync(stampOf(service))) return true;
  return readFileSync(stampOf(service), 'utf8') !== fingerprint(service, version);
}

function fingerprint(service: string, version: string): string {
  return createHash('sha256')
    .update(version)
    .update(readFileSync(schemaOf(service)))
    .digest('hex');
}
