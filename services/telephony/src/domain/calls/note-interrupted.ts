import { failed } from '../tools/tool-outcome.ts';
import type { Call } from './call.ts';
import type { SessionDeps } from './call-parts.ts';
import { nextSeq } from './next-seq.ts';
import type { BegunTool, Entry } from './ports.ts';

/** A receiver that gets a request twice can't know that it was meant once. */
const INTERRUPTED =
  'The tool was interrupted: nobody knows whether it has taken effect, and it was not asked again';

/** Puts on record what a worker that died had begun, as tools that have failed. */
export function noteInterrupted(
  { turns, clock }: Pick<SessionDeps, 'turns' | 'clock'>,
  call: Call,
  record: Entry[],
  tools: readonly BegunTool[],
): void {
  for (const tool of tools) {
    const seq = nextSeq(record, call.fence);
    const entry: Entry = { role: 'tool', ...tool, outcome: failed(INTERRUPTED), seq, at: clock.now() };
    record.push(entry);
    turns.append(call, entry);
  }
}
