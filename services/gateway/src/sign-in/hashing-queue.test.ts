import { describe, expect, it } from '@jest/globals';
import { createHashingQueue, type Priority, type QueueLimits } from './hashing-queue.ts';

function setUp(limits: Partial<QueueLimits>) {
  let nowMs = 0;
  const all = { concurrency: 1, maxWaiting: 4, maxPerLane: 3, maxWaitMs: 10_000, ...limits };
  const enqueue = createHashingQueue(all, () => nowMs);
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const add = (lane: string, name = lane, priority: Priority = 'new'): Promise<string> =>
    enqueue({ lane, priority }, async () => {
      begun.push(name);
      await new Promise<void>((end) => ends.push(end));
      return name;
    });
  const end = async (times = 1): Promise<void> => {
    for (let i = 0; i < times; i += 1) {
      ends.shift()?.();
      await new Promise(setImmediate);
    }
  };
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { add, begun, end, pass };
}

const refused = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: expect.any(Number) };

describe('the queue of password hashing', () => {
  it('runs some at once, queues some in order, and refuses more with 503 and Retry-After', async () => {
    const { add, begun, end } = setUp({ concurrency: 2, maxWaiting: 3 });
    const added = [0, 1, 2, 3, 4].map((i) => add('a', String(i)));
    await expect(add('a', '5')).rejects.toMatchObject(refused);
    expect(begun).toEqual(['0', '1']);

    await end();
    expect(begun).toEqual(['0', '1', '2']);
    const late = add('a', '6');
    await expect(add('a', '7')).rejects.toMatchObject(refused);
    await end(5);
    expect(await Promise.all([...added, late])).toEqual(['0', '1', '2', '3', '4', '6']);
    expect(begun).toEqual(['0', '1', '2', '3', '4', '6']);
  });

  it('serves lanes in turn: a newcomer waits for one request of a long lane only', async () => {
    const { add, begun, end } = setUp({ maxWaiting: 10, maxPerLane: 8 });
    const flood = Array.from({ length: 6 }, (_, i) => add('flood', `f${i}`));
    const others = [add('x'), add('y')];
    await end(8);
    await Promise.all([...flood, ...others]);
    expect(begun).toEqual(['f0', 'f1', 'x', 'y', 'f2', 'f3', 'f4', 'f5']);
  });

  it('limits each lane, and a full queue drops the newest request of its longest lane', async () => {
    const { add, begun, end } = setUp({});
    const running = add('flood', 'f0');
    const [f1, f2, f3] = [add('flood', 'f1'), add('flood', 'f2'), add('flood', 'f3')];
    await expect(add('flood', 'f4')).rejects.toMatchObject(refused);
    const x = add('x');
    const y = add('y');
    await expect(f3).rejects.toMatchObject(refused);
    // Lanes of the same length drop nothing of each other.
    await expect(add('x', 'x2')).rejects.toMatchObject(refused);
    await end(5);
    await Promise.all([running, f1, f2, x, y]);
    expect(begun).toEqual(['f0', 'f1', 'x', 'y', 'f2']);
  });

  it('drops a request of lower priority when all lanes have one each, and serves higher priorities first', async () => {
    const { add, begun, end } = setUp({});
    const guesses = ['s0', 's1', 's2', 's3', 's4'].map((name) => add(name, name, 'suspect'));
    await expect(add('s5', 's5', 'suspect')).rejects.toMatchObject(refused);
    const person = add('p', 'p', 'new');
    await expect(guesses[4]).rejects.toMatchObject(refused);
    const device = add('d', 'd', 'known');
    await expect(guesses[3]).rejects.toMatchObject(refused);
    await expect(add('s6', 's6', 'suspect')).rejects.toMatchObject(refused);
    await end(5);
    await Promise.all([person, device, ...guesses.slice(0, 3)]);
    expect(begun).toEqual(['s0', 'd', 'p', 's1', 's2']);
  });

  it('lets no request wait longer than its limit, even at a priority that is never served', async () => {
    const { add, begun, end, pass } = setUp({ maxWaiting: 2 });
    const running = add('a');
    const late = add('b', 'b', 'suspect');
    const next = add('c', 'c', 'known');
    void next;
    pass(9_000);
    await end();
    const another = add('d', 'd', 'known');
    pass(1_000);
    await end();
    await expect(late).rejects.toMatchObject(refused);
    await end();
    await Promise.all([running, next, another]);
    expect(begun).toEqual(['a', 'c', 'd']);
  });
});
