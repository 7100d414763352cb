import { describe, expect, it } from '@jest/globals';
import { createClock } from '@parley/kit/time';
import { createRecordingLinks, readerIn } from './recording-links.ts';

describe('createRecordingLinks [calls.12]', () => {
  let now = new Date('2026-01-31T08:00:00.700Z');
  const clock = { ...createClock({ rate: 1, originMs: 0 }), now: () => now };
  const linksOf = (...secrets: string[]) =>
    createRecordingLinks({ publicUrl: 'https://parley.example', secrets, clock });
  const links = linksOf('s'.repeat(32));
  const parts = (text: string) => {
    const url = new URL(text);
    const [expires = '', signature = ''] = ['expires', 'signature'].map(
      (name) => url.searchParams.get(name) ?? '',
    );
    return {
      key: decodeURIComponent(url.pathname.slice('/recordings/'.length)),
      query: { expires, reader: url.searchParams.get('reader') ?? undefined, signature },
    };
  };
  const reader = { kind: 'key', id: 'b8f7' } as const;

  it('creates links under the public URL that identify the recording', () => {
    const link = links.signerFor(reader).sign('2026/a b.wav');
    expect(link).toMatch(/^https:\/\/parley\.example\/recordings\//);
    expect(parts(link).key).toBe('2026/a b.wav');
  });

  it('names the reader that the link was made for', () => {
    expect(readerIn(parts(links.signerFor(reader).sign('call.wav')).query.reader)).toEqual(reader);
    expect(readerIn(parts(links.signForEvent('call.wav')).query.reader)).toBeUndefined();
  });

  it('accepts its own links for an hour and no longer', () => {
    const { key, query } = parts(links.signerFor(reader).sign('call.wav'));
    expect(links.verify(key, query)).toBe(true);
    now = new Date('2026-01-31T08:59:59.000Z');
    expect(links.verify(key, query)).toBe(true);
    now = new Date('2026-01-31T09:00:01.000Z');
    expect(links.verify(key, query)).toBe(false);
  });

  it('accepts the link of an event for seven days and no longer', () => {
    now = new Date('2026-01-31T08:00:00.700Z');
    const { key, query } = parts(links.signForEvent('call.wav'));
    now = new Date('2026-02-07T07:59:59.000Z');
    expect(links.verify(key, query)).toBe(true);
    now = new Date('2026-02-07T08:00:01.000Z');
    expect(links.verify(key, query)).toBe(false);
  });

  it('accepts links of a previous secret, and signs with the first one', () => {
    const replaced = linksOf('t'.repeat(32), 's'.repeat(32));
    const old = parts(links.signerFor(reader).sign('call.wav'));
    expect(replaced.verify(old.key, old.query)).toBe(true);
    const fresh = parts(replaced.signerFor(reader).sign('call.wav'));
    expect([links, linksOf('t'.repeat(32))].map((of) => of.verify(fresh.key, fresh.query))).toEqual([
      false,
      true,
    ]);
  });

  it('refuses another recording, a later expiry and a foreign signature', () => {
    const { key, query } = parts(links.signerFor(reader).sign('call.wav'));
    expect(links.verify('other.wav', query)).toBe(false);
    expect(links.verify(key, { ...query, reader: 'key.another' })).toBe(false);
    expect(links.verify(key, { ...query, reader: undefined })).toBe(false);
    const ofEvent = parts(links.signForEvent('call.wav')).query;
    expect(links.verify(key, { ...ofEvent, reader: 'key.another' })).toBe(false);
    expect(links.verify(key, { ...query, expires: String(Number(query.expires) + 1) })).toBe(false);
    expect(links.verify(key, { ...query, signature: '' })).toBe(false);
  });
});
