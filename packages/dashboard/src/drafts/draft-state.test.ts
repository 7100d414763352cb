import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  bringBack,
  forStorage,
  isDirty,
  ofVersion,
  restore,
  settle,
  toDraft,
  withSending,
} from './draft-state.ts';
import { draftKey, hasDrafts, readDraft, removeDrafts, removeDraftsOf, writeDraft } from './draft-storage.ts';
import { dropOldDrafts } from './drop-old-drafts.ts';

const EMPTY = { name: '', secret: '' };

describe('a draft', () => {
  it('is none while nothing differs from what it was made from', () => {
    expect(toDraft({ ...EMPTY }, EMPTY)).toBeUndefined();
    expect(toDraft({ ...EMPTY, name: 'Grace' }, EMPTY)).toEqual({
      value: { name: 'Grace', secret: '' },
      base: EMPTY,
    });
  });

  it('keeps what was typed while it was being saved', () => {
    const sent = { ...EMPTY, name: 'Grace' };
    const typed = toDraft({ ...sent, secret: 'more' }, EMPTY);
    expect(settle(typed, sent, sent)).toEqual({ value: { name: 'Grace', secret: 'more' }, base: sent });
    expect(settle(toDraft(sent, EMPTY), sent, sent)).toBeUndefined();
  });

  it('is none once it is saved, also if the form was closed and has it as it was stored, without secrets', () => {
    const withoutSecret = (value: typeof EMPTY) => ({ ...value, secret: '' });
    const sent = { name: 'Grace', secret: 'whsec_1' };
    const restored = toDraft(withoutSecret(sent), EMPTY);
    expect(settle(restored, sent, EMPTY, withoutSecret)).toBeUndefined();
    const typed = toDraft({ name: 'Grace Hopper', secret: '' }, EMPTY);
    expect(settle(typed, sent, EMPTY, withoutSecret)).toEqual({
      value: { name: 'Grace Hopper', secret: '' },
      base: EMPTY,
    });
  });

  it('is stored without its secrets, and not at all if there is nothing else', () => {
    const withoutSecret = (value: typeof EMPTY) => ({ ...value, secret: '' });
    const draft = toDraft({ name: 'Grace', secret: 'whsec_1' }, EMPTY);
    expect(forStorage(draft, withoutSecret)).toEqual({ value: { name: 'Grace', secret: '' }, base: EMPTY });
    expect(forStorage(toDraft({ ...EMPTY, secret: 'whsec_1' }, EMPTY), withoutSecret)).toBeUndefined();
  });

  it('that was discarded comes back, without losing what was typed since [dashboard.77]', () => {
    const draft = toDraft({ name: 'Grace', secret: 'former' }, EMPTY);
    expect(bringBack(draft, undefined)).toBe(draft);
    expect(bringBack(draft, toDraft({ ...EMPTY, secret: 'since' }, EMPTY))).toEqual({
      value: { name: 'Grace', secret: 'since' },
      base: EMPTY,
    });
    expect(bringBack(undefined, draft)).toBe(draft);
  });

  it('of an earlier version of the page gets the fields that it did not have', () => {
    const found = { value: { name: 'Grace' }, base: { name: '' } } as never;
    expect(restore(found, EMPTY)).toEqual({ value: { name: 'Grace', secret: '' }, base: EMPTY });
    expect(restore<typeof EMPTY>({}, EMPTY)).toBeUndefined();
    expect(restore(undefined, EMPTY)).toBeUndefined();
  });

  it('is one request while it is sent again as it is, within 23 hours, and in another tab [dashboard.35]', () => {
    const [first, next] = [
      { idempotencyKey: 'first', at: 0 },
      { idempotencyKey: 'next', at: 82_799_999 },
    ];
    const draft = { value: { name: 'Grace', secret: '' }, base: EMPTY };
    const sent = withSending(draft, undefined, first);
    expect(sent).toEqual({ ...draft, sending: first });
    expect(withSending(sent, undefined, next).sending).toBe(first);
    expect(withSending(draft, sent, next).sending).toBe(first);
    expect(withSending({ ...draft, value: EMPTY }, sent, next).sending).toBe(next);
    const late = { ...next, at: 82_800_000 };
    expect(withSending(sent, undefined, late).sending).toBe(late);
    // What is changed, or was sent, is another request.
    expect(toDraft({ ...draft.value, name: 'Ada' }, EMPTY)).not.toHaveProperty('sending');
    expect(settle(sent, draft.value, EMPTY)).toBeUndefined();
  });

  it('that is sent is stored with its request, also if nothing was typed, but not without its secrets [dashboard.35]', () => {
    const sending = { idempotencyKey: 'first', at: 0 };
    const withoutSecret = (value: typeof EMPTY) => ({ ...value, secret: '' });
    const untouched = { value: EMPTY, base: EMPTY, sending };
    expect(isDirty(untouched)).toBe(false);
    expect(restore(forStorage(untouched, withoutSecret), EMPTY)).toEqual(untouched);
    expect(ofVersion(untouched, EMPTY)).toBe(untouched);
    // What another person has saved since is shown, not the version that was sent.
    expect(ofVersion(untouched, { ...EMPTY, name: 'Ada' })).toBeUndefined();
    const secret = { value: { name: 'Grace', secret: 'whsec_1' }, base: EMPTY, sending };
    expect(ofVersion(secret, { ...EMPTY, name: 'Ada' })).toBe(secret);
    expect(isDirty(secret)).toBe(true);
    expect(forStorage(secret, withoutSecret)).toEqual({ value: { name: 'Grace', secret: '' }, base: EMPTY });
  });
});

describe('the storage of drafts', () => {
  const before = globalThis.localStorage;
  beforeEach(() => {
    Object.defineProperty(globalThis, 'localStorage', { value: fakeStorage(), configurable: true });
  });
  afterEach(() => {
    Object.defineProperty(globalThis, 'localStorage', { value: before, configurable: true });
  });

  it('is per person and workspace, and a sign-out removes all of the person [dashboard.29]', () => {
    const mine = draftKey('ada', 'acme', 'invite');
    const elsewhere = draftKey('ada', 'globex', 'invite');
    const theirs = draftKey('ada-2', 'acme', 'invite');
    for (const key of [mine, elsewhere, theirs]) writeDraft(key, { email: key });
    expect(readDraft(mine)).toMatchObject({ email: mine });
    expect(readDraft(draftKey('grace', 'acme', 'invite'))).toBeUndefined();
    removeDrafts('ada');
    expect([mine, elsewhere, theirs].map((key) => readDraft(key))).toEqual([
      undefined,
      undefined,
      expect.objectContaining({ email: theirs }),
    ]);
    expect([hasDrafts('ada'), hasDrafts('ada-2')]).toEqual([false, true]);
    for (const key of [mine, elsewhere]) writeDraft(key, { email: key });
    removeDrafts('ada', 'acme');
    expect([readDraft(mine), readDraft(elsewhere)]).toEqual([
      undefined,
      expect.objectContaining({ email: elsewhere }),
    ]);
  });

  it('removes what belongs to something that is gone, and nothing of what is named alike [dashboard.73]', () => {
    const names = ['assistant/1', 'assistant/1/json', 'assistant/1/tools/7', 'assistant/12', 'assistant/new'];
    const keys = names.map((name) => draftKey('ada', 'acme', name));
    for (const key of keys) writeDraft(key, { text: 'x' });
    removeDraftsOf(draftKey('ada', 'acme', 'assistant/1'));
    expect(keys.map((key) => readDraft(key) !== undefined)).toEqual([false, false, false, true, true]);
  });

  it('drops drafts that were not changed for 30 days, of all people [dashboard.73]', () => {
    const [day, now] = [86_400_000, Date.UTC(2026, 2, 14)];
    const key = (name: string) => draftKey(name, 'acme', 'invite');
    const ages = { ada: 31 * day, grace: 29 * day, linus: -400 * day };
    for (const [name, age] of Object.entries(ages)) writeDraft(key(name), { email: name }, now - age);
    // Of a page that stored no time, and what no page can read.
    localStorage.setItem(key('old'), '{"email":"old"}');
    localStorage.setItem(key('torn'), '{');
    localStorage.setItem('parley:columns', '{');
    dropOldDrafts(now);
    const found = () => Object.keys(localStorage).filter((name) => name.startsWith('parley:'));
    expect(found().sort()).toEqual(['parley:columns', key('grace'), key('linus'), key('old')]);
    // Their time began now.
    dropOldDrafts(now + 29 * day);
    expect(found().sort()).toEqual(['parley:columns', key('linus'), key('old')]);
    dropOldDrafts(now + 31 * day);
    expect(found()).toEqual(['parley:columns']);
  });

  it('forgets a draft that is saved, and survives what it cannot read or write', () => {
    const key = draftKey('ada', 'acme', 'invite');
    writeDraft(key, { email: 'grace@example.com' });
    writeDraft(key, undefined);
    expect(hasDrafts('ada')).toBe(false);
    localStorage.setItem(key, '{');
    expect(readDraft(key)).toBeUndefined();
    localStorage.setItem = () => {
      throw new Error('the storage is full');
    };
    expect(() => writeDraft(key, { email: 'x' })).not.toThrow();
  });
});

/** Keys are properties, as in a browser. */
function fakeStorage(): Storage {
  const methods = {
    getItem(this: Record<string, string>, key: string) {
      return Object.hasOwn(this, key) ? this[key] : null;
    },
    setItem(this: Record<string, string>, key: string, value: string) {
      this[key] = value;
    },
    removeItem(this: Record<string, string>, key: string) {
      delete this[key];
    },
  };
  return Object.create(methods) as Storage;
}
