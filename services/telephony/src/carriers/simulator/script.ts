/** What the simulated human says. */
export type Script =
  | { kind: 'silent' }
  | { kind: 'lines'; lines: readonly string[] }
  /** Never runs out of lines. */
  | { kind: 'endless'; lines: readonly string[] }
  /** Has the assistant try its tools, one after the other. */
  | { kind: 'tools' };

/** What an assistant says when it has used them all (`engines/scripted`): the human of 0010 listens for it. */
const NO_MORE_TOOLS = /\bno (?:more|other) tools\b|\bno tools\b/i;

export type HumanMove = { type: 'say'; line: string } | { type: 'hang_up' } | { type: 'wait' };

/**
 * What the human does next: after `spoken` lines of its own, having heard `heard` (null: it was its turn to begin).
 * It hangs up when it has nothing left to say.
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
