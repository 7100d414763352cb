/** The lines of the simulated person. */
export type Script =
  | { kind: 'silent' }
  | { kind: 'lines'; lines: readonly string[] }
  /** Never runs out of lines. */
  | { kind: 'endless'; lines: readonly string[] }
  /** Asks the assistant to use its tools, one after the other. */
  | { kind: 'tools' };

/** Said by the scripted engine when it has used all tools. */
const NO_MORE_TOOLS = /\bno (?:more|other) tools\b|\bno tools\b/i;

export type HumanMove = { type: 'say'; line: string } | { type: 'hang_up' } | { type: 'wait' };

/**
 * The person's next move after `spoken` lines of its own and hearing `heard` (null: it has to begin). Hangs up after the
 * last line.
 */
export function nextMove(script: Script, spoken: number, heard: string | null): HumanMove {
  switch (script.kind) {
    case 'silent':
      return { type: 'wait' };
    case 'lines':
      return sayAt(script.lines, spoken) ?? { type: 'hang_up' };
    case 'endless':
      return sayAt(script.lines, spoken % Math.max(1, script.lines.length)) ?? { type: 'wait' };
    case 'tools': {
      if (heard !== null && NO_MORE_TOOLS.test(heard)) return { type: 'hang_up' };
      const line =
        spoken === 0 ? 'Please use the first of your tools.' : 'Now use the next of your tools, please.';
      return { type: 'say', line };
    }
  }
}

function sayAt(lines: readonly string[], index: number): HumanMove | undefined {
  const line = lines[index];
  return line === undefined ? undefined : { type: 'say', line };
}
