// What the `npm` commands accept. Plain JavaScript without dependencies, as run.mjs.
// The default export: a named one that an old Node lacks would fail before run.mjs can say so.
import util from 'node:util';

const NAMES_OF_SERVICES = 'gateway, assistants, telephony, campaigns, webhooks';

/** `options` and `positionals`: all that the command accepts; without `options` it reads its arguments itself. */
const COMMANDS = {
  start: {
    usage: 'npm start [-- OPTIONS]',
    about: 'Starts the platform, and the servers that it needs, until Ctrl-C.',
    options: {
      spoken: { type: 'boolean', about: 'simulated humans talk and listen instead of writing' },
      sip: { type: 'boolean', about: 'SIP at 127.0.0.1:5060, for SIP trunks' },
      without: {
        type: 'string',
        multiple: true,
        value: 'SERVICE',
        about: `leaves a service out (${NAMES_OF_SERVICES}); repeatable`,
      },
    },
  },
  demo: {
    usage: 'npm run demo',
    about:
      'Creates an assistant, a number and a campaign of 25 contacts in the running platform, and shows the results.',
    options: {},
  },
  test: {
    usage: 'npm test [-- OPTIONS] [PATHS and flags of jest]',
    about:
      'Runs the tests; without arguments all but the long files. --full runs all, --changed those that your change can affect.',
  },
  service: {
    usage: 'npm run service -- SERVICE',
    about: `Runs one service from source, restarted on changes: ${NAMES_OF_SERVICES}.`,
    options: {},
    positionals: true,
  },
  remove: {
    usage: 'npm run remove [-- OPTIONS]',
    about: 'Removes all data of the stack of this folder.',
    options: { yes: { type: 'boolean', about: 'does not ask for confirmation' } },
  },
  bench: { usage: 'npm run bench [-- NAME [ARGS]]', about: 'Runs a benchmark; without a name lists them.' },
  chaos: { usage: 'npm run chaos [-- NAME [ARGS]]', about: 'Runs a kill test; without a name lists them.' },
  screenshots: { usage: 'npm run screenshots', about: 'Updates the pictures of docs/images.', options: {} },
  build: { usage: 'npm run build', about: 'Builds every package and service.', options: {} },
  generate: {
    usage: 'npm run generate',
    about: 'Generates the Prisma clients, the routes of the browser client, and the widget.',
    options: {},
  },
  audit: { usage: 'npm run audit', about: 'Lists known vulnerabilities of dependencies.', options: {} },
};

/** `parley` explains itself. Behind the name of a benchmark, `--help` is an argument of it. */
export function asksForHelp(command, args) {
  if (!Object.hasOwn(COMMANDS, command)) return false;
  const own = COMMANDS[command].options ? args : args.slice(0, 1);
  return own.some((arg) => arg === '--help' || arg === '-h');
}

export function usageOf(command) {
  const { usage, about, options = {} } = COMMANDS[command];
  const rows = Object.entries(options).map(([name, { value, about: effect }]) => [
    `--${name}${value ? ` ${value}` : ''}`,
    effect,
  ]);
  rows.push(['--help', 'shows this']);
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `Usage: ${usage}`,
    about,
    '',
    ...rows.map(([name, effect]) => `  ${name.padEnd(width)}  ${effect}`),
  ].join('\n');
}

/** What is wrong with the arguments; undefined if nothing is. */
export function wrongArguments(command, args) {
  const { options, positionals = false } = COMMANDS[command] ?? {};
  if (!options) return undefined;
  const known = Object.fromEntries(
    Object.entries(options).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  );
  try {
    util.parseArgs({ args, options: known, allowPositionals: positionals });
    return undefined;
  } catch (error) {
    return error.message;
  }
}
