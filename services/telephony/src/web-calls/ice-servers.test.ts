import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { iceServers, iceServersFor } from './ice-servers.ts';

const SECRET = '0123456789abcdef';

describe('STUN and TURN servers of browsers [web-calls.7]', () => {
  it('get a user of coturn that expires after the longest call, and never the secret', () => {
    const settings = iceServers.parse(
      JSON.stringify([
        { urls: 'stun:a.example' },
        { urls: ['turn:a.example', 'turns:a.example'], secret: SECRET },
      ]),
    );
    const [stun, turn] = iceServersFor(settings, 'call', 1_000_000_000_000);
    expect(stun).toEqual({ urls: ['stun:a.example'] });
    expect(turn).toEqual({
      urls: ['turn:a.example', 'turns:a.example'],
      username: '1000007800:call',
      credential: createHmac('sha1', SECRET).update('1000007800:call').digest('base64'),
    });
  });

  it.each([
    '',
    '{}',
    '[{}]',
    '[{"urls": []}]',
    '[{"urls": "https://a.example"}]',
    '[{"urls": "turn:a", "secret": "short"}]',
  ])('refuses %s', (value) => expect(iceServers.safeParse(value).success).toBe(false));
});
