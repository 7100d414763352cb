import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** The checkout. */
export const ROOT = join(import.meta.dirname, '../../../..');

/** Secrets, logs and private servers of this checkout's stack. Never in version control. */
export const STACK_FOLDER = join(ROOT, '.stack');

/** Part of the command line of every command of this checkout. */
export const CHECKOUT_MARKER = `${ROOT}/`;

/** Part of the command line of `npm start` in any checkout. */
export const START_MARKER = 'devstack/src/commands/start.ts';

/** Preload of services (`node --import`): the service stops when its parent exits, and reports its port over IPC. */
export const FOLLOW_PARENT = join(import.meta.dirname, '../processes/follow-parent.mjs');

export const inStack = (...parts: string[]): string => join(STACK_FOLDER, ...parts);

export const serviceFolder = (service: string): string => join(ROOT, 'services', service);

/** The entry points of a service, one per process type; the first one serves its routes. */
export const entriesOf = (service: string): [string, ...string[]] =>
  service === 'telephony' ? ['api', 'worker'] : ['main'];

/** A compiled entry point of a service: by default the one that serves its routes. */
export const compiledEntry = (service: string, entry = entriesOf(service)[0]): string =>
  join(serviceFolder(service), 'dist', `${entry}.js`);

/**
 * Creates the folder of the stack, accessible to its owner only. Root's Postgres runs as another user and needs to traverse it: then
 * others may traverse it, but not list it.
 */
export function openStackFolder(): void {
  mkdirSync(STACK_FOLDER, { recursive: true });
  chmodSync(STACK_FOLDER, process.getuid?.() === 0 ? 0o711 : 0o700);
  for (const name of ['logs', 'recordings']) {
    if (existsSync(inStack(name))) chmodSync(inStack(name), 0o700);
  }
}
