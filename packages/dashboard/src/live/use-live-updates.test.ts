import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { refresh } from './use-live-updates.ts';

const NONE: ReadonlySet<string> = new Set();
const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('changes', () => {
  let client: QueryClient;
  let answers: (() => void)[];
  beforeEach(() => {
    client = new QueryClient({ defaultOptions: { queries: { gcTime: Number.POSITIVE_INFINITY } } });
    answers = [];
    Object.assign(globalThis, { document: { visibilityState: 'visible' } });
  });
  afterEach(() => {
    client.clear();
    Reflect.deleteProperty(globalThis, 'document');
  });

  it('during a request are requested again after it', async () => {
    const queryFn = () => new Promise<number>((resolve) => answers.push(() => resolve(answers.length)));
    const observer = new QueryObserver(client, { queryKey: ['assistants'], queryFn, staleTime: 1e9 });
    const leave = observer.subscribe(() => {});
    expect(answers).toHaveLength(1);

    const changed = new Map([['assistants', 'any' as const]]);
    const skipped = refresh(client, changed, NONE);
    expect(skipped.size).toBe(1);
    expect(answers).toHaveLength(1);
    expect(refresh(client, new Map(), skipped)).toEqual(skipped);

    answers[0]?.();
    await tick();
    expect(refresh(client, new Map(), skipped).size).toBe(0);
    expect(answers).toHaveLength(2);
    answers[1]?.();
    await tick();
    leave();
  });

  it('during a request for a page that is not shown yet are requested again when it is', async () => {
    const queryFn = () => new Promise<number>((resolve) => answers.push(() => resolve(answers.length)));
    const options = { queryKey: ['campaign', '1'], queryFn, staleTime: 1e9 };
    const begun = client.prefetchQuery(options);
    const skipped = refresh(client, new Map([['campaign', 'any' as const]]), NONE);
    answers[0]?.();
    await begun;
    const leave = new QueryObserver(client, options).subscribe(() => {});
    expect(answers).toHaveLength(1);
    expect(refresh(client, new Map(), skipped).size).toBe(0);
    expect(answers).toHaveLength(2);
    answers[1]?.();
    await tick();
    leave();
  });

  it('of other areas request nothing', () => {
    const observer = new QueryObserver(client, { queryKey: ['keys'], queryFn: () => 1, initialData: 0 });
    const leave = observer.subscribe(() => {});
    expect(refresh(client, new Map([['calls', 'any' as const]]), NONE).size).toBe(0);
    leave();
  });
});
