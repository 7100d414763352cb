import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(js|css|html|svg|json)$/;
/** Smaller files fit into one packet anyway. */
const MIN_BYTES = 512;
const compressions = [
  { ending: '.gz', compress: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }) },
  {
    ending: '.br',
    compress: (bytes: Buffer) =>
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  },
];

/** Writes `.gz` and `.br` beside each text file of the build, so that the gateway never compresses. */
export function precompress(): Plugin {
  let folder = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved: ({ build }) => {
      folder = build.outDir;
    },
    closeBundle: async (error) => {
      if (error) return;
      const files = await readdir(folder, { recursive: true });
      await Promise.all(
        files.filter((file) => TEXT.test(file)).map((file) => compressFile(join(folder, file))),
      );
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < MIN_BYTES) return;
  for (const { ending, compress } of compressions) await writeFile(path + ending, await compress(bytes));
}
