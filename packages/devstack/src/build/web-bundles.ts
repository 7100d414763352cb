import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../stack/folders.ts';

const FOLDER = join(ROOT, 'packages/web');

/** Bundles what browsers load from the gateway: the widget, its audio worklet and the demo page's script. Takes a moment. */
export async function bundleWeb(): Promise<void> {
  await build({
    absWorkingDir: FOLDER,
    entryPoints: {
      widget: 'src/widget/widget.ts',
      worklet: 'src/worklet/worklet.ts',
      demo: 'src/widget/demo.ts',
    },
    outdir: 'dist/bundle',
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome103', 'firefox104', 'safari16'],
    legalComments: 'none',
    logLevel: 'error',
  });
}
