// Runs the operator's command repeatedly in one process: loading it takes a second, a command a few milliseconds.
const { COMMAND_LINE = '' } = process.env;
const loading = import(COMMAND_LINE);
let last = loading;
process.on('message', ({ args }) => {
  last = last.then(() => run(args));
});
process.on('disconnect', () => process.exit());

async function run(args) {
  const output = { stdout: '', stderr: '' };
  const originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ['stdout', 'stderr']) {
    process[name].write = (text, ...rest) => {
      output[name] += text;
      rest.find((one) => typeof one === 'function')?.();
      return true;
    };
  }
  const { runCommandLine } = await loading;
  const code = await runCommandLine([process.execPath, COMMAND_LINE, ...args], process.env).catch((error) => {
    output.stderr += error.stack;
    return 1;
  });
  for (const name of ['stdout', 'stderr']) process[name].write = originals[name];
  process.send({ ok: code === 0, ...output });
}
