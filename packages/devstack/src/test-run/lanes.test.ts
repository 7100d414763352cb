import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../stack/folders.ts';
import { type Lane, laneOf, listedFiles, nextLane, runInLanes, secondsOf } from './lanes.ts';
import { longFiles, withoutLongFiles } from './long-files.ts';

const MANY = { platform: 9, waiting: 9, busy: 9 };

describe('nextLane', () => {
  it('has a file of each lane side by side', () => {
    expect(nextLane([], MANY)).toBe('platform');
    expect(nextLane(['platform'], MANY)).toBe('waiting');
    expect(nextLane(['platform', 'waiting'], MANY)).toBe('waiting');
    expect(nextLane(['platform', 'waiting', 'waiting'], MANY)).toBe('busy');
  });

  it('never has a second platform', () => {
    expect(nextLane(['platform'], { platform: 9, waiting: 0, busy: 0 })).toBeUndefined();
    expect(nextLane(['platform', 'waiting'], { platform: 9, waiting: 0, busy: 0 })).toBeUndefined();
  });

  it('has busy files for all other workers', () => {
    const left = { platform: 0, waiting: 0, busy: 9 };
    expect(nextLane(['platform', 'waiting', 'waiting', 'busy', 'busy'], MANY)).toBe('busy');
    expect(nextLane(['busy', 'busy', 'busy'], left)).toBe('busy');
    expect(nextLane(['busy', 'busy'], { platform: 9, waiting: 0, busy: 9 })).toBe('platform');
  });

  it('has more waiting files if nothing else is left', () => {
    const left = { platform: 0, waiting: 9, busy: 0 };
    expect(nextLane(['waiting', 'waiting'], left)).toBe('waiting');
    expect(nextLane(['waiting', 'waiting'], { ...left, busy: 9 })).toBe('busy');
    expect(nextLane(['platform', 'waiting', 'waiting'], { ...left, platform: 9 })).toBeUndefined();
  });
});

describe('runInLanes', () => {
  it('runs every file, the next as soon as one has ended', async () => {
    const began: string[] = [];
    const ends = new Map<string, () => void>();
    const run = (file: string) => {
      began.push(file);
      return new Promise<void>((resolve) => ends.set(file, resolve));
    };
    const end = async (file: string) => {
      ends.get(file)?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    const queues = { platform: ['p1', 'p2'], waiting: ['w1'], busy: ['b1', 'b2'] };
    const all = runInLanes(queues, { workers: 3, run });
    expect(began).toEqual(['p1', 'w1', 'b1']);
    await end('w1');
    expect(began).toEqual(['p1', 'w1', 'b1', 'b2']);
    await end('b1');
    expect(began).toEqual(['p1', 'w1', 'b1', 'b2']);
    await end('p1');
    expect(began).toEqual(['p1', 'w1', 'b1', 'b2', 'p2']);
    await end('b2');
    await end('p2');
    await all;
  });
});

describe('the list of files', () => {
  const lanes = Object.entries(listedFiles) as [Lane, Record<string, number>][];

  it('has files that exist, each in one lane', () => {
    const files = lanes.flatMap(([lane, seconds]) =>
      Object.keys(seconds).map((file) => [file, lane] as const),
    );
    expect(files.filter(([file]) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(files.filter(([file, lane]) => laneOf(file) !== lane)).toEqual([]);
  });

  it('has all that boot a platform or a browser', () => {
    const files = ['tests', 'tests/dashboard'].flatMap((folder) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => `${folder}/${name}`),
    );
    const boots = /\b(bootPlatform|describePlatform|describeDashboard|chromium\.launch\w*)\(/;
    const booting = files.filter((file) => boots.test(readFileSync(join(ROOT, file), 'utf8')));
    expect(booting.length).toBeGreaterThan(10);
    expect(booting.filter((file) => laneOf(file) !== 'platform')).toEqual([]);
  });
});

describe('the long files', () => {
  it('are files of the list, and take more than twenty seconds', () => {
    expect(longFiles.filter((file) => secondsOf(file) <= 20)).toEqual([]);
  });

  it('are left out by their whole path', () => {
    const [flag = ''] = withoutLongFiles();
    const pattern = new RegExp(flag.slice(flag.indexOf('=') + 1).replaceAll('<rootDir>', ROOT));
    expect(longFiles.filter((file) => !pattern.test(join(ROOT, file)))).toEqual([]);
    expect(pattern.test(join(ROOT, 'services/telephony', longFiles[0] ?? ''))).toBe(false);
    expect(pattern.test(join(ROOT, 'tests/dashboard/main-path.test.ts'))).toBe(false);
  });
});
