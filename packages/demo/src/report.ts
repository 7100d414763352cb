import type { Paint } from '@parley/devstack';
import { callsTable } from './calls-table.ts';
import { deliveriesTable } from './deliveries-table.ts';
import { nextSteps } from './next-steps.ts';
import type { Receiver } from './receiver.ts';
import type { Results } from './results.ts';
import { pickExample, showTranscript } from './transcript.ts';
import { wrapText } from './wrap-text.ts';

type Input = {
  results: Results;
  receiver: Pick<Receiver, 'deliveries' | 'toolRequests'>;
  /** One sentence for each missing result. */
  gaps: readonly string[];
  width: number;
  paint: Paint;
  gatewayUrl: string;
  fromNumber: string;
};

const MAX_GAPS = 20;

/** The report at the end of the demo. */
export function showReport(input: Input): string {
  const { results, receiver, width, paint } = input;
  const { deliveries, toolRequests } = receiver;
  const example = pickExample(results, deliveries);
  const { total_contacts, successful_calls, failed_calls, status } = results.campaign;
  const asked = `  The tool was called ${toolRequests.all} times, ${toolRequests.signed} of them signed.`;
  const sections: [string, string][] = [
    [
      `Calls: the campaign is ${status}, ${successful_calls} of ${total_contacts} reached, ${failed_calls} not`,
      callsTable({ results, deliveries, width, paint }),
    ],
    ['Webhooks', `${deliveriesTable({ results, deliveries, width, paint })}\n\n${asked}`],
  ];
  if (example) {
    sections.push([`A call as an example: ${example.call.to_number}`, showTranscript(example, width, paint)]);
  }
  sections.push([
    'What to try next',
    nextSteps({
      gatewayUrl: input.gatewayUrl,
      campaignId: results.campaign.campaign_id,
      callId: (example?.call ?? results.single).id,
      fromNumber: input.fromNumber,
    }),
  ]);
  const text = sections.map(([title, body]) => `${paint('bold', title)}\n\n${body}`).join('\n\n');
  return `\n${text}\n\n${verdict(input.gaps, width, paint)}`;
}

function verdict(gaps: readonly string[], width: number, paint: Paint): string {
  if (gaps.length === 0) return paint('green', '✓ All expected results were found.\n');
  const shown = gaps.slice(0, MAX_GAPS).map((gap) => `  ✗ ${wrapText(gap, width - 5).join('\n    ')}`);
  const more = gaps.length > MAX_GAPS ? [`  … and ${gaps.length - MAX_GAPS} more`] : [];
  return [paint('red', 'Some results are not as expected:'), ...shown, ...more, ''].join('\n');
}
