import { describe, expect, it } from '@jest/globals';
import { DISCONNECTION_REASONS, legacyReason } from '@parley/contracts';
import { toLegacyReason } from './legacy-call.ts';

describe('toLegacyReason [calls.6]', () => {
  it.each([
    ['dial_no_answer', 'error'],
    ['dial_busy', 'error'],
    ['dial_failed', 'error'],
    ['call_rejected', 'error'],
    ['error_user_not_joined', 'error'],
    ['voicemail', 'completed'],
    ['call_transfer', 'completed'],
  ] as const)('maps %s to %s', (stored, legacy) => {
    expect(toLegacyReason(stored)).toBe(legacy);
  });

  it.each(['user_hangup', 'agent_hangup', 'completed', 'timeout', 'error'] as const)('keeps %s', (reason) => {
    expect(toLegacyReason(reason)).toBe(reason);
  });

  it('maps every stored reason', () => {
    for (const reason of DISCONNECTION_REASONS) {
      expect(legacyReason.options).toContain(toLegacyReason(reason));
    }
  });

  it('has none before the end', () => {
    expect(toLegacyReason(null)).toBeNull();
  });
});
