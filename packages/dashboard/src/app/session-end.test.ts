import { describe, expect, it } from '@jest/globals';
import { beginSession, noteRefusal, sessionEnd } from './session-end.ts';

describe('the end of a session', () => {
  it('is a refused request, until the person signs in again [dashboard.21]', () => {
    beginSession(100);
    expect(sessionEnd.get()).toBe(false);
    noteRefusal(200);
    expect(sessionEnd.get()).toBe(true);
    beginSession(300);
    expect(sessionEnd.get()).toBe(false);
  });

  it('is no request that was sent before, and is answered after, the new sign-in [dashboard.21]', () => {
    beginSession(300);
    noteRefusal(299);
    expect(sessionEnd.get()).toBe(false);
    noteRefusal(301);
    expect(sessionEnd.get()).toBe(true);
  });
});
