// Runs the operator's command repeatedly in one process: loading it takes a second, a command a few milliseconds.
const { CLI = '' } = process.env;
let last = Promise.resolve();
let count = 0;
process.on('message', ({ args }) => {
  last = last.then(() => run(args));
});
process.on('disconnect', () => process.exit());

async function run(args) {
  const output = { stdout: '', stderr: '' };
  const { argv } = process;
  const originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr']) {
    process[name].write = (text, ...rest) => {
      output[name] += text;
      rest.find((one) => typeof one === 'function')?.();
      return true;
    };
  }
  process.argv = [argv[0], CLI, ...args];
  process.exitCode = 0;
  count += 1;
  // A module with another URL is evaluated again, but its imports are not.
  await import(`${CLI}?${count}`).catch((error) => {
    output.stderr += error.stack;
    process.exitCode = 1;
  });
  process.argv = argv;
  for (const name of ['stdout', 'stderr']) process[name].write = originals[name];
  process.send({ ok: process.exitCode === 0, ...output });
}
