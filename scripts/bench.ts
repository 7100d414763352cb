import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runAttached } from './processes/run-attached.ts';
import { withServers } from './servers/with-servers.ts';
import { ROOT } from './stack/folders.ts';
import { Problem } from './terminal/problem.ts';
import { runScript } from './terminal/run-script.ts';

// `npm run bench:<name>`: scripts/bench/<name>.ts, with servers as the tests get them.
runScript(async () => {
  const [name = '', ...args] = process.argv.slice(2);
  const file = join(ROOT, 'scripts/bench', `${name}.ts`);
  if (!/^[a-z-]+$/.test(name) || !existsSync(file)) throw new Problem(`There is no benchmark "${name}".`);
  const flags = ['--import', 'tsx', '--conditions=source'];
  return withServers((env, signal) => runAttached([...flags, file, ...args], env, ROOT, signal));
});
