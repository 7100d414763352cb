import { type ComponentType, type ReactNode, useEffect } from 'react';
import type { FailureProps } from '../components/dialog-failure.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { lazyComponent } from '../components/lazy-component.tsx';
import { Page } from '../components/page.tsx';

type RoutePage = (() => ReactNode) & { preload?: () => Promise<void> };

/** The component of a route, which is loaded when a link to it is pointed at, or before it is shown. */
export function lazyPage<Name extends string, Module extends Record<Name, ComponentType>>(
  load: () => Promise<Module>,
  name: Name,
) {
  const LazyPage = lazyComponent(load, name, PageFailure);
  const { preload } = LazyPage;
  // A page has no properties, which the types of `load` don't show.
  const page = LazyPage as unknown as RoutePage;
  page.preload = () =>
    preload().then(
      // A change of the page's search would wait for it.
      () => void delete page.preload,
      // Tried again, and reported, when the page is shown.
      () => undefined,
    );
  return page;
}

/** In place of a page that could not be loaded. The navigation stays. */
function PageFailure({ error, onRetry }: FailureProps) {
  useEffect(() => {
    void reloadIfReachable();
  }, []);
  return (
    <Page title="Not loaded">
      <ErrorNote error={error} title="This page could not be loaded" onRetry={onRetry} />
    </Page>
  );
}

const RELOADED_AT = 'parley-reloaded-at';
const AGAIN_AFTER_MS = 60_000;

/**
 * While the gateway responds, a newer version may have replaced the file, or the browser remembers its failure, as browsers did until 2026.
 * A new page helps in both cases. Once: if it fails again, the reason is another one, such as gateways of two versions.
 */
async function reloadIfReachable(): Promise<void> {
  const response = await fetch('/dashboard/', { cache: 'no-store' }).catch(() => undefined);
  if (!response?.ok) return;
  try {
    const reloadedAtMs = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
    if (Math.abs(Date.now() - reloadedAtMs) < AGAIN_AFTER_MS) return;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
  } catch {
    // Without storage it could not be once.
    return;
  }
  window.location.reload();
}
