import type { SpokenTurn } from '../call-history/plain-transcript.ts';

/** What decides on whether a transcript can be fixed, and by what. */
export type FixableCall = {
  isOver: boolean;
  answeredAt: Date | null;
  recordingKey: string | null;
  fixCount: number;
};

export type TranscriptFixes = {
  find(workspaceId: string, callId: string): Promise<FixableCall | undefined>;
  /**
   * One transaction: the transcript, one fix more, and `call.analyzed` as a new edition; where the call isn't analysed
   * yet, its first edition will tell what was heard. False: it can't be fixed any more.
   */
  save(workspaceId: string, callId: string, fix: { turns: SpokenTurn[]; now: Date }): Promise<boolean>;
};
