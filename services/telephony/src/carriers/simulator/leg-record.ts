import type { EndCause } from '../call-control.ts';

/** The stored state of a simulated leg. */
export type LegRecord = {
  id: string;
  reference: string;
  workspaceId: string;
  direction: 'outbound' | 'inbound';
  from: string;
  to: string;
  ordinal: number;
  originatedAt: Date;
  /** Inbound legs: when we answered, how long the caller waits, and the caller's lines. */
  answeredAt: Date | null;
  givesUpAt: Date | null;
  script: readonly string[] | null;
  endedAt: Date | null;
  endedCause: EndCause | null;
};
