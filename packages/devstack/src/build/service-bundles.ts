import { readdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build, type Plugin, stop } from 'esbuild';
import { waitForLock } from '../processes/lock-file.ts';
import { CHECKOUT_MARKER, compiledEntry, entriesOf, inStack, ROOT } from '../stack/folders.ts';
import { SERVICES } from '../stack/services.ts';

/** Defines `require`, which bundled CommonJS dependencies expect. */
const BANNER = `import { createRequire as bundleRequire } from 'node:module';
const require = bundleRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`;

/** These packages load WebAssembly relative to their own file, so they are not bundled. */
const UNBUNDLED = /^(@echogarden\/fvad-wasm|libopus-wasm)$/;

const keepApart: Plugin = {
  name: 'keep apart',
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: UNBUNDLED }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === UNBUNDLED) return undefined;
      const found = await resolve(path, { kind, resolveDir, pluginData: UNBUNDLED });
      return { path: found.path, external: true };
    }),
};

/** One file with a compiled entry point and everything that it imports. */
export const bundleOf = (entry: string): string => entry.replace(/\.js$/, '.bundle.js');

/** The compiled module that runs the operator's command. */
export const COMMAND_LINE = compiledEntry('gateway', 'cli/run-command-line');
/** The operator's command. */
export const CLI = compiledEntry('gateway', 'cli');

const ENTRIES = [
  ...SERVICES.flatMap((service) => entriesOf(service).map((entry) => compiledEntry(service, entry))),
  COMMAND_LINE,
  CLI,
];

let done: Promise<void> | undefined;

/**
 * Bundles the compiled entry points of all services, if the compiled files are newer. Most of the CPU time of a start is for finding and
 * linking more than a thousand modules: `npm start` starts six processes at once, the tests a hundred. Once per process: what starts them compiles before.
 */
export function bundleServices(): Promise<void> {
  done ??= bundleAlone();
  return done;
}

async function bundleAlone(): Promise<void> {
  const lock = await waitForLock(inStack('bundle.lock'), CHECKOUT_MARKER);
  try {
    await bundleStale(ROOT, ENTRIES);
  } finally {
    // esbuild's process would keep a test worker from exiting.
    await stop();
    lock.release();
  }
}

/** Bundles the entries if one of their bundles is missing or older than a compiled file or the list of dependencies below `root`. */
export async function bundleStale(root: string, entries: readonly string[]): Promise<void> {
  const newest = await newestInput(root);
  const times = await Promise.all(entries.map((entry) => modifiedMs(bundleOf(entry))));
  if (times.some((time) => time < newest)) await bundleAll(root, entries, newest);
}

/**
 * All in one run, which reads a module once for all bundles that contain it. They get the time of the newest file that was there before: what another
 * command compiles meanwhile, or after it was read, is newer.
 */
async function bundleAll(root: string, entries: readonly string[], newestMs: number): Promise<void> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => ({
      in: entry,
      out: relative(root, bundleOf(entry)).replace(/\.js$/, ''),
    })),
    outdir: root,
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: `node${process.versions.node}`,
    // An optional dependency of pg.
    external: ['pg-native'],
    plugins: [keepApart],
    keepNames: true,
    banner: { js: BANNER },
    logLevel: 'error',
  });
  // Rounded up: times of files are finer than a Date.
  const asOf = new Date(Math.ceil(newestMs) + 1);
  await Promise.all(outputFiles.map(({ path, contents }) => writeAsOf(asOf, path, contents)));
}

/** A process that is killed leaves no bundle that is incomplete or looks newer than it is. */
async function writeAsOf(time: Date, path: string, contents: Uint8Array): Promise<void> {
  const draft = `${path}.tmp`;
  await writeFile(draft, contents);
  await utimes(draft, time, time);
  await rename(draft, path);
}

/** Modification time of the newest compiled file (without bundles) or of the list of dependencies. */
async function newestInput(root: string): Promise<number> {
  const folders = await Promise.all(
    ['packages', 'services'].map((name) => compiledFolders(join(root, name))),
  );
  const times = await Promise.all(folders.flat().map(newestIn));
  return Math.max(await modifiedMs(join(root, 'pnpm-lock.yaml')), ...times);
}

async function compiledFolders(folder: string): Promise<string[]> {
  return (await readdir(folder)).map((name) => join(folder, name, 'dist'));
}

async function newestIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch((): string[] => []);
  if (!names.includes('.tsbuildinfo')) return 0;
  const compiled = names.filter((name) => name.endsWith('.js') && !/\.bundle\.js$|^bundle\//.test(name));
  return Math.max(0, ...(await Promise.all(compiled.map((name) => modifiedMs(join(folder, name))))));
}

/** 0 if there is no such file. */
async function modifiedMs(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
}
