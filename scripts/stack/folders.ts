import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** What a checkout's stack keeps: secrets, logs, private servers. Never in version control. */
export const STACK_FOLDER = join(ROOT, '.stack');

/** A part of the command line of every command of this checkout. */
export const SCRIPTS_MARKER = `${join(ROOT, 'scripts')}/`;

export const inStack = (...parts: string[]): string => join(STACK_FOLDER, ...parts);

export const serviceFolder = (service: string): string => join(ROOT, 'services', service);
