import type { NetworkConditions } from '@parley/media';

/** How a simulated human behaves on a line with audio, besides what it says [running.11]. */
export type HumanBehavior = {
  /** Speaks over the assistant, once. */
  interrupts: boolean;
  /** Says "all right" while the assistant speaks. */
  acknowledges: boolean;
  /** Pressed instead of the first line. */
  keys: string | null;
  hasNoise: boolean;
  /** Greets, beeps and listens. */
  isMachine: boolean;
  conditions: NetworkConditions;
};

const DEFAULT: HumanBehavior = {
  interrupts: false,
  acknowledges: false,
  keys: null,
  hasNoise: false,
  isMachine: false,
  conditions: {},
};

const BY_ENDING: Readonly<Record<string, Partial<HumanBehavior>>> = {
  '0003': { isMachine: true },
  '0013': { interrupts: true },
  '0014': { keys: '42#' },
  '0015': { hasNoise: true },
  '0016': { conditions: { loss: 0.05, delayMs: 40, jitterMs: 40 } },
  '0017': { acknowledges: true },
};

export function behaviorOf(number: string): HumanBehavior {
  return { ...DEFAULT, ...BY_ENDING[number.slice(-4)] };
}
