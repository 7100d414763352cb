import type { DisconnectionReason, legacyReason } from '@parley/contracts';
import type { z } from 'zod';

export type LegacyReason = z.output<typeof legacyReason>;

const LEGACY: Record<DisconnectionReason, LegacyReason> = {
  user_hangup: 'user_hangup',
  agent_hangup: 'agent_hangup',
  completed: 'completed',
  timeout: 'timeout',
  voicemail: 'completed',
  call_transfer: 'completed',
  dial_no_answer: 'error',
  dial_busy: 'error',
  dial_failed: 'error',
  call_rejected: 'error',
  error: 'error',
  error_user_not_joined: 'error',
};

/** How the legacy routes tell the end of a call (D6.4). */
export function toLegacyReason(reason: DisconnectionReason | null): LegacyReason | null {
  return reason && LEGACY[reason];
}
