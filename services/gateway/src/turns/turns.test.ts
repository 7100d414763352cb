import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { realSleep } from '@parley/kit/time';
import { createTurnLimit } from './turn-limit.ts';
import { createTurns, type Share } from './turns.ts';

/** A response that closes when told to. */
function response() {
  const events = Object.assign(new EventEmitter(), { closed: false });
  const close = (): void => {
    events.closed = true;
    events.emit('close');
  };
  return { res: events as unknown as ServerResponse, close };
}

/** The names of the requests that have begun, in order. */
function recorder(max: () => number) {
  const turns = createTurns(max);
  const begun: string[] = [];
  const sendAs = (share: Share, name: string) => {
    const { res, close } = response();
    const outcome = turns.take(
      () => share,
      res,
      () => begun.push(name),
    );
    return { res, close, outcome };
  };
  const send = (workspace: string, name: string) => sendAs(['workspaces', workspace], name);
  return { turns, begun, send, sendAs };
}

describe('turns of requests [trust.1]', () => {
  it('lets a request of another share begin before those of a flood that waits', async () => {
    const { begun, send } = recorder(() => 1);
    const flood = Array.from({ length: 5 }, (_, n) => send('greedy', `greedy ${n}`));
    const other = send('other', 'other');
    for (const request of [flood[0], flood[1], other]) {
      await realSleep(1);
      request?.close();
    }
    await realSleep(1);
    expect(begun).toEqual(['greedy 0', 'greedy 1', 'other', 'greedy 2']);
  });

  /** The order in which requests of these shares begin, which are named by the last part of their share. */
  function orderOf(shares: readonly Share[]): string[] {
    const { turns, begun, sendAs } = recorder(() => 1);
    const first = sendAs(['first'], 'first').res;
    const sent = new Map(shares.map((share) => [share.join(' '), sendAs(share, share.join(' ')).res]));
    turns.leave(first);
    // Those that begin are appended meanwhile.
    for (const name of begun) {
      const res = sent.get(name);
      if (res) turns.leave(res);
    }
    return begun.slice(1).map((name) => name.split(' ').at(-1) ?? '');
  }

  it('lets requests of workspaces and all others begin alternately, however many shares the others have', () => {
    const networks = ['1', '2', '3', '4'].map((name) => ['others', name]);
    const workspaces = ['a', 'b'].map((name) => ['workspaces', name]);
    expect(orderOf([...workspaces, ...networks])).toEqual(['a', '1', 'b', '2', '3', '4']);
    expect(orderOf([...networks, ...workspaces])).toEqual(['1', 'a', '2', 'b', '3', '4']);
  });

  it('lets shares take turns at every level, however many are below them', () => {
    const visitors = ['a1', 'a2', 'a3'].map((name) => ['public', 'keys', 'a', name]);
    const shares = [
      ...visitors,
      ['public', 'keys', 'b', 'b1'],
      ['public', 'keys', 'b', 'b2'],
      ['public', 'others', 'n1'],
      ['workspaces', 'w1'],
      ['workspaces', 'w2'],
    ];
    expect(orderOf(shares)).toEqual(['a1', 'w1', 'n1', 'w2', 'b1', 'a2', 'b2', 'a3']);
  });

  it('lets all begin at once while there is no limit', async () => {
    const { begun, send, turns } = recorder(() => Number.POSITIVE_INFINITY);
    for (let n = 0; n < 300; n += 1) send('one', `${n}`);
    expect([begun.length, turns.waiting(), turns.busiest()]).toEqual([300, 0, 300]);
  });

  it('never lets more begin than the limit, and no longer counts a request after 100 ms', async () => {
    const { begun, send, turns } = recorder(() => 2);
    for (let n = 0; n < 5; n += 1) send('one', `${n}`);
    await realSleep(50);
    expect([begun, turns.waiting()]).toEqual([['0', '1'], 3]);
    await realSleep(100);
    expect([begun, turns.waiting()]).toEqual([['0', '1', '2', '3'], 1]);
    expect(turns.busiest()).toBe(2);
  });

  it('counts a request no longer when it leaves to wait for something else', () => {
    const { begun, send, turns } = recorder(() => 1);
    const first = send('one', 'first');
    send('one', 'second');
    expect(begun).toEqual(['first']);
    turns.leave(first.res);
    turns.leave(first.res);
    send('one', 'third');
    expect(begun).toEqual(['first', 'second']);
  });

  it('omits the request of a client that has disconnected', async () => {
    const { begun, send } = recorder(() => 1);
    const [first, gone] = [send('one', 'first'), send('one', 'gone'), send('one', 'last')];
    gone.close();
    await realSleep(1);
    first.close();
    await realSleep(1);
    expect(begun).toEqual(['first', 'last']);
  });

  it('no longer counts, and omits without a turn, those of clients that have disconnected', () => {
    const { begun, sendAs, turns } = recorder(() => 1);
    const first = sendAs(['first'], 'first').res;
    const flood = Array.from({ length: 500 }, (_, n) => sendAs(['public', `${n % 50}`], 'flood'));
    const visitor = sendAs(['public', 'visitor'], 'visitor').res;
    for (const name of ['one', 'other']) sendAs(['workspaces', 'w'], name);
    for (const { close } of flood) close();
    expect(turns.waiting()).toBe(3);
    turns.leave(first);
    turns.leave(visitor);
    expect([begun, turns.waiting()]).toEqual([['first', 'visitor', 'one'], 1]);
  });

  it('forgets the shares of those that have disconnected once none waits', () => {
    const { begun, send, turns } = recorder(() => 1);
    const first = send('first', 'first');
    send('left', 'gone').close();
    for (const name of ['new', 'left']) send(name, name);
    turns.leave(first.res);
    expect(begun).toEqual(['first', 'new']);
  });

  it('refuses requests when 500 of their share wait, and only of that share', () => {
    const { begun, send, turns } = recorder(() => 1);
    const outcomes = Array.from({ length: 503 }, (_, n) => send('greedy', `${n}`).outcome);
    expect(outcomes).toEqual(['begun', ...Array(500).fill('waits'), 'refused', 'refused']);
    expect(send('other', 'other').outcome).toBe('waits');
    expect([begun, turns.waiting()]).toEqual([['0'], 501]);
  });

  it('refuses the visitor who sends many requests, and not another of the same workspace', () => {
    const { sendAs } = recorder(() => 1);
    const visitor = (network: string) => sendAs(['public', 'keys', 'w', network], network).outcome;
    for (let n = 0; n < 501; n += 1) visitor('greedy');
    expect([visitor('greedy'), visitor('other')]).toEqual(['refused', 'waits']);
  });
});

describe('the limit of requests under way [trust.1]', () => {
  it('falls little after a single pause of a quiet process', () => {
    const limit = createTurnLimit();
    limit.adjust(11, 3);
    expect(limit.max()).toBe(44);
    limit.adjust(11, 3);
    expect(limit.max()).toBe(30);
  });

  it('is none until the event loop is late, then falls to four, and rises while it is not late until there is none again', () => {
    const limit = createTurnLimit();
    expect(limit.max()).toBe(Number.POSITIVE_INFINITY);
    limit.adjust(9, 500);
    expect(limit.max()).toBe(Number.POSITIVE_INFINITY);
    limit.adjust(11, 100);
    expect(limit.max()).toBe(70);
    for (let n = 0; n < 20; n += 1) limit.adjust(50, 100);
    expect(limit.max()).toBe(4);
    limit.adjust(0, 4);
    expect(limit.max()).toBe(5);
    for (let n = 0; n < 58; n += 1) limit.adjust(0, 4);
    expect(limit.max()).toBe(63);
    limit.adjust(0, 4);
    expect(limit.max()).toBe(Number.POSITIVE_INFINITY);
  });
});
