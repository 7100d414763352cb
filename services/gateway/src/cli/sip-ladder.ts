import type { SipMessage } from '@parley/contracts';
import { describeSdp } from './describe-sdp.ts';

/** Terminal styles; without colors the ladder is plain text. */
type Style = 'request' | 'progress' | 'success' | 'redirection' | 'failure' | 'dim' | 'bold';
export type Paint = (style: Style, text: string) => string;

const CODES: Record<Style, string> = {
  request: '36',
  progress: '2',
  success: '32',
  redirection: '33',
  failure: '31',
  dim: '2',
  bold: '1',
};
export const inColors: Paint = (style, text) => `\u001b[${CODES[style]}m${text}\u001b[0m`;
export const plainly: Paint = (_, text) => text;

type Rung = {
  offsetMs: number;
  isSent: boolean;
  peer: number;
  label: string;
  style: Style;
  note: string;
};

/** Distance between two lifelines. */
const WIDTH = 38;
const MAX_PEERS = 4;
const LEFT = ' '.repeat(12);

/**
 * The messages of a call as a ladder diagram [sip.38]: the first lifeline is Parley, each far end has its own, and each message is an
 * arrow with the time since the first message and a summary of its SDP.
 */
export function drawLadder(messages: readonly SipMessage[], paint: Paint): string {
  const [first] = messages;
  if (!first)
    return 'No SIP message of this call is stored: it did not use SIP, or its trace has been removed.\n';
  const peers = [...new Set(messages.map(({ transport, remote }) => `${transport} ${remote}`))];
  const shown =
    peers.length > MAX_PEERS
      ? [...peers.slice(0, MAX_PEERS - 1), `${peers.length - MAX_PEERS + 1} others`]
      : peers;
  const startMs = Date.parse(first.at);
  const rungs = messages.map((message): Rung => {
    const peer = Math.min(peers.indexOf(`${message.transport} ${message.remote}`), shown.length - 1);
    const offsetMs = Date.parse(message.at) - startMs;
    return { offsetMs, isSent: message.direction === 'sent', peer, ...readHead(message.message) };
  });
  const head = `${LEFT}${paint('bold', 'Parley'.padEnd(WIDTH))}${shown.map((name) => paint('bold', name.padEnd(WIDTH))).join('')}`;
  const under = `${LEFT}${first.local.padEnd(WIDTH)}`;
  const drawn = rungs.map((rung, i) =>
    drawRung(rung, { count: shown.length, sinceMs: rung.offsetMs - (rungs[i - 1]?.offsetMs ?? 0), paint }),
  );
  const rails = `${LEFT}${`│${' '.repeat(WIDTH - 1)}`.repeat(shown.length)}│`;
  return `${[head, paint('dim', under), paint('dim', rails), ...drawn, paint('dim', rails)].map((line) => line.trimEnd()).join('\n')}\n`;
}

function drawRung(
  { offsetMs, isSent, peer, label, style, note }: Rung,
  { count, sinceMs, paint }: { count: number; sinceMs: number; paint: Paint },
): string {
  const length = WIDTH * (peer + 1) - 1;
  const maxLength = length - 6;
  const text = label.length > maxLength ? `${label.slice(0, maxLength - 1)}…` : label;
  const dashes = '─'.repeat(length - text.length - 4);
  const arrow = isSent ? `─ ${text} ${dashes}▶` : `◀${dashes} ${text} ─`;
  const rest = `│${' '.repeat(WIDTH - 1)}`.repeat(count - peer - 1);
  const time = (offsetMs / 1_000).toFixed(3).padStart(8);
  // A pause of half a second and more stands out.
  const when = sinceMs >= 500 ? paint('bold', time) : time;
  const rails = paint('dim', '│');
  return `${when}    ${rails}${paint(style, arrow)}${rails}${paint('dim', rest.slice(1))}${rest ? paint('dim', '│') : ''}  ${paint('dim', note)}`;
}

/** A short form of the first line of a message, with a summary of its SDP. */
function readHead(message: string): Pick<Rung, 'label' | 'style' | 'note'> {
  const [start = ''] = message.split(/\r?\n/, 1);
  const body = /\r?\n\r?\n([\s\S]*)$/.exec(message)?.[1] ?? '';
  const note = describeSdp(body);
  const response = /^SIP\/2\.0 (\d{3}) ?(.*)$/.exec(start);
  if (!response) {
    const [method = '', uri = ''] = start.split(' ');
    const isAgain = /^INVITE|^UPDATE/.test(method) && /^(?:to|t)[ \t]*:.*;[ \t]*tag=/im.test(message);
    const target = method === 'INVITE' && !isAgain ? ` ${uri.replace(/;.*$/, '')}` : '';
    return {
      label: `${isAgain ? 're-' : ''}${method}${target}`,
      style: 'request',
      note: note || reasonOf(message),
    };
  }
  const [, code = '', text = ''] = response;
  const method = /^cseq[ \t]*:[ \t]*\d+[ \t]+(\w+)/im.exec(message)?.[1] ?? '';
  const by: Record<string, Style> = { 1: 'progress', 2: 'success', 3: 'redirection' };
  const label = `${code} ${text}${method === 'INVITE' ? '' : ` (${method})`}`;
  return { label, style: by[code.charAt(0)] ?? 'failure', note: note || reasonOf(message) };
}

/** The reason of an end, or the target of a transfer. */
function reasonOf(message: string): string {
  return /^(?:(?:reason|refer-to|retry-after|warning)[ \t]*:[ \t]*)([^\r\n]*)/im.exec(message)?.[0] ?? '';
}
