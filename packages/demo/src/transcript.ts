import type { Paint } from '@parley/devstack';
import type { Analyzed, Deliveries } from './deliveries.ts';
import type { Results } from './results.ts';
import type { Call } from './single-call.ts';
import { wrapText } from './wrap-text.ts';

type Turn = Analyzed['transcript'][number];
type Example = { call: Call; analyzed: Analyzed };

/** The most interesting conversation: one with a tool if there is one, then the longest. */
export function pickExample(results: Results, deliveries: Pick<Deliveries, 'analyzed'>): Example | undefined {
  const examples = results.calls.flatMap((call) => {
    const analyzed = deliveries.analyzed(call.id);
    const isOrdinary = call.disconnection_reason === 'user_hangup' && analyzed;
    return isOrdinary ? [{ call, analyzed }] : [];
  });
  const worth = ({ analyzed: { transcript, tools } }: Example) => tools.length * 1_000 + transcript.length;
  return examples.sort((a, b) => worth(b) - worth(a))[0];
}

const SPEAKERS = { agent: 'Assistant', user: 'Human', tool: 'Tool' } as const;
const WHO_WIDTH = 9;

/** The turns as delivered with `call_analyzed`, followed by the summary and the analysis. */
export function showTranscript({ call, analyzed }: Example, width: number, paint: Paint): string {
  const answeredAt = Date.parse(call.answered_at ?? call.created_at);
  const lines = analyzed.transcript.map((turn) => {
    const at = `${((Date.parse(turn.timestamp) - answeredAt) / 1_000).toFixed(1)} s`.padStart(7);
    const who = SPEAKERS[turn.role].padEnd(WHO_WIDTH);
    return `${paint('dim', at)}  ${paint(STYLES[turn.role], who)}  ${indent(textOf(turn), width)}`;
  });
  const facts: [string, unknown][] = [
    ['Summary', call.summary],
    ['Analysis', call.analysis_data && showFields(call.analysis_data)],
  ];
  const found = facts.map(
    ([name, value]) =>
      `${' '.repeat(9)}${paint('bold', name.padEnd(WHO_WIDTH))}  ${indent(String(value ?? '–'), width)}`,
  );
  return [...lines, '', ...found].join('\n');
}

const STYLES = { agent: 'cyan', user: 'green', tool: 'yellow' } as const;
function showFields(data: Record<string, unknown>): string {
  return Object.entries(data)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ');
}

const TEXT_FROM = 9 + WHO_WIDTH + 2;

function textOf(turn: Turn): string {
  if (turn.role !== 'tool') return turn.content;
  const outcome = turn.error ?? JSON.stringify(turn.result);
  return `${turn.tool_name} ${turn.query} → ${outcome}`;
}

function indent(text: string, width: number): string {
  return wrapText(text, Math.max(20, width - TEXT_FROM - 1)).join(`\n${' '.repeat(TEXT_FROM)}`);
}
