import { lazy, Suspense } from 'react';

const OutdatedAlert = lazy(() =>
  import('./outdated-alert.tsx').then((module) => ({ default: module.OutdatedAlert })),
);

type Props = { query: { error: unknown; refetch: () => unknown } };

/** Above content that could not be read again: it stays as it was read before, with everything that was typed in it. */
export function OutdatedNote({ query: { error, refetch } }: Props) {
  return <Suspense>{error ? <OutdatedAlert error={error} refetch={refetch} /> : null}</Suspense>;
}
