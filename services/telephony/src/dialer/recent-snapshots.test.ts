import { describe, expect, it } from '@jest/globals';
import type { AssistantSnapshot } from '@parley/contracts';
import { recentSnapshots } from './recent-snapshots.ts';

/** An assistant whose version is what it is set to, or that answers an error. */
function setUp() {
  const world = { nowMs: 0, version: 1, asked: 0, isAway: false };
  const recent = recentSnapshots(
    {
      get: async () => {
        world.asked += 1;
        if (world.isAway) throw new Error('away');
        return { version: world.version } as AssistantSnapshot;
      },
    },
    () => world.nowMs,
  );
  const versionOf = async (knownVersion?: number) => (await recent.get('w', 'a', knownVersion))?.version;
  return { world, versionOf };
}

describe('recentSnapshots', () => {
  it('refreshes every half second, and once for concurrent callers', async () => {
    const { world, versionOf } = setUp();
    expect(await Promise.all([versionOf(), versionOf(), versionOf()])).toEqual([1, 1, 1]);
    world.nowMs = 499;
    await versionOf();
    expect(world.asked).toBe(1);
    world.nowMs = 500;
    world.version = 2;
    expect(await versionOf()).toBe(2);
    expect(world.asked).toBe(2);
  });

  it('refreshes at once, and once, when a newer version is known', async () => {
    const { world, versionOf } = setUp();
    await versionOf(1);
    world.version = 3;
    expect(await Promise.all([versionOf(2), versionOf(3), versionOf(1)])).toEqual([3, 3, 1]);
    expect(world.asked).toBe(2);
    expect(await versionOf(3)).toBe(3);
    expect(world.asked).toBe(2);
  });

  it('caches no failure', async () => {
    const { world, versionOf } = setUp();
    world.isAway = true;
    await expect(versionOf()).rejects.toThrow('away');
    world.isAway = false;
    expect(await versionOf()).toBe(1);
  });
});
