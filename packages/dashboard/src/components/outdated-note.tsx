import { Suspense, useEffect } from 'react';
import { lazyComponent } from './lazy-component.tsx';

const load = () => import('./outdated-alert.tsx');
const OutdatedAlert = lazyComponent(load, 'OutdatedAlert');

type Props = {
  query: { error: unknown; refetch: () => unknown };
  /** Above a part of a page, whose own note lies in front of it. */
  isPart?: boolean;
};

/** Beside content that could not be read again: it stays as it was read before, with everything that was typed in it. */
export function OutdatedNote({ query: { error, refetch }, isPart = false }: Props) {
  useEffect(() => {
    // Without a network it is too late. What fails here is tried again when it is needed.
    load().catch(() => undefined);
  }, []);
  return (
    <Suspense>{error ? <OutdatedAlert error={error} refetch={refetch} isPart={isPart} /> : null}</Suspense>
  );
}
