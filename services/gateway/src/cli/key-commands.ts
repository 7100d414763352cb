import { type SomeKeySettings, someKeySettings } from '@parley/contracts';
import { parseInput } from '@parley/kit/errors';
import { noIdempotency } from '@parley/kit/idempotency';
import { type Command, Option } from 'commander';
import type { KeyType } from '../keys/key-format.ts';
import * as keys from '../keys/manage-keys.ts';
import * as read from './arguments.ts';
import { group, idOption, type Run, workspaceOption } from './command.ts';
import { BY } from './operator.ts';

type SettingOptions = Record<string, string[] | number | boolean | 'any' | 'default' | undefined>;

/** Options of a key's settings [trust.7] [trust.9], named like the settings. */
const SETTINGS = {
  agent_ids: ['--agent-ids <ids>', 'comma list of the only assistants that it may use, or "any"', read.list],
  allowed_origins: [
    '--allowed-origins <origins>',
    'public: comma list of the only origins of its pages, or "any"',
    read.list,
  ],
  calls_per_minute: [
    '--calls-per-minute <count>',
    'public: calls created per minute, or "default"',
    read.limit(1),
  ],
  calls_per_minute_per_address: [
    '--calls-per-minute-per-address <count>',
    'public: calls created per minute from one IP address, or "default"',
    read.limit(1),
  ],
  max_live_calls: ['--max-live-calls <count>', 'public: concurrent calls, or "default"', read.limit(1)],
  max_call_duration: [
    '--max-call-duration <seconds>',
    'public: maximum call duration, or "default"',
    read.limit(10),
  ],
  variables: [
    '--variables <names>',
    'public: comma list of the only variables that a page may set, or "any"',
    read.list,
  ],
  read_only: ['--read-only [on|off]', 'private: reject requests that change something', read.onOff],
  allowed_networks: [
    '--allowed-networks <cidrs>',
    'private: comma list of the only networks that may use it, or "any"',
    read.list,
  ],
} as const;

export function addKeyCommands(program: Command, run: Run): void {
  const key = group(program, 'key', 'create, change, list and revoke API keys');
  const create = key
    .command('create')
    .description('create a key; it is shown only once')
    .addOption(workspaceOption())
    .addOption(new Option('--type <type>', 'its type').choices(['private', 'public']).makeOptionMandatory())
    .option('--name <name>', 'a name to know it by', read.label, 'API key')
    .option('--expires-at <instant>', 'ISO 8601; never by default', read.instant)
    .action((o: { workspace: string; type: KeyType; name: string; expiresAt?: Date } & SettingOptions) =>
      run((context) => {
        const { workspace: workspaceId, type, name, expiresAt = null } = o;
        const input = { workspaceId, type, name, expiresAt, settings: settingsIn(o) };
        return keys.createKey(context, input, BY, noIdempotency);
      }),
    );
  addSettings(create);
  const set = key
    .command('set')
    .description("change a key's name and settings; other settings stay unchanged")
    .addOption(idOption('the key'))
    .option('--name <name>', 'a name to know it by', read.label)
    .action((o: { id: string; name?: string } & SettingOptions) =>
      run((context) => {
        const change = { ...(o.name === undefined ? {} : { name: o.name }), settings: settingsIn(o) };
        return keys.changeKey(context, { id: o.id, by: BY, ...change });
      }),
    );
  addSettings(set);
  key
    .command('list')
    .description("list a workspace's keys and their settings, never the keys themselves")
    .addOption(workspaceOption())
    .action((o: { workspace: string }) => run((context) => keys.listAllKeys(context, o.workspace)));
  key
    .command('revoke')
    .description('revoke a key, everywhere within a second')
    .addOption(idOption('the key'))
    .action((o: { id: string }) => run((context) => keys.revokeKey(context, { id: o.id, by: BY })));
}

function addSettings(command: Command): void {
  for (const [flags, description, parse] of Object.values(SETTINGS))
    command.option(flags, description, (value: string) => parse(value));
}

/** `any` and `default` become null; the contract validates the values. */
function settingsIn(options: SettingOptions): SomeKeySettings {
  const given = Object.keys(SETTINGS).flatMap((name) => {
    const value = options[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
    return value === undefined ? [] : [[name, value === 'any' || value === 'default' ? null : value]];
  });
  return parseInput(someKeySettings, Object.fromEntries(given));
}
