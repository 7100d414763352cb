import { join } from 'node:path';
import { runAttached } from './processes/run-attached.ts';
import { ROOT, serviceFolder } from './stack/folders.ts';
import { serviceNamed } from './stack/left-out.ts';
import { readEnvironment } from './stack/read-environment.ts';
import { answersOk } from './stack/readiness.ts';
import { Problem } from './terminal/problem.ts';
import { runScript } from './terminal/run-script.ts';

// `npm run service -- NAME`: one service from source, restarted on changes, with the environment that the running stack
// has for it. The stack is started with `npm start -- --without NAME`.
runScript(async () => {
  const name = serviceNamed(process.argv[2]);
  const env = readEnvironment().services[name];
  if (await answersOk(`http://127.0.0.1:${env.INTERNAL_PORT ?? env.PORT}/healthz`)) {
    throw new Problem(`${name} runs already. Start the stack without it: npm start -- --without ${name}`);
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  const flags = ['--import', 'tsx', '--conditions=source', '--watch', '--watch-preserve-output'];
  const main = join(serviceFolder(name), 'src/main.ts');
  return runAttached([...flags, main], { ...process.env, ...env }, ROOT, stop.signal);
});
