import { getSipTrace, type SipMessage } from '@parley/contracts';
import { type Command, Option } from 'commander';
import * as read from './arguments.ts';
import { group, PlainText, type Run } from './command.ts';
import { OPERATOR } from './operator.ts';
import { drawLadder, inColors, plainly } from './sip-ladder.ts';

type TraceOptions = { call: string; messages?: boolean; json?: boolean };

/** `parley sip trace --call ID` [sip.38]. */
export function addSipCommands(program: Command, run: Run): void {
  group(program, 'sip', 'SIP calls')
    .command('trace')
    .description('draw the SIP messages of a call as a ladder')
    .addOption(new Option('--call <id>', 'the call').makeOptionMandatory().argParser(read.id))
    .option('--messages', 'print the messages themselves below')
    .option('--json', 'print the messages as JSON instead')
    .action(({ call, messages, json }: TraceOptions) =>
      run(async ({ telephony }) => {
        const trace = await telephony.call(getSipTrace, { params: { id: call } }, OPERATOR);
        if (json) return trace;
        const paint = process.stdout.isTTY && process.stdout.hasColors() ? inColors : plainly;
        return new PlainText(
          `${drawLadder(trace, paint)}${messages ? trace.map(printMessage).join('') : ''}`,
        );
      }),
    );
}

function printMessage({ at, direction, transport, local, remote, message }: SipMessage): string {
  const way = direction === 'sent' ? `${local} → ${remote}` : `${remote} → ${local}`;
  return `\n${at}  ${transport}  ${way}\n${message.replace(/\r\n/g, '\n').trimEnd()}\n`;
}
