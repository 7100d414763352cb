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
    void isReplaced().then((isOutdated) => {
      if (isOutdated) window.location.reload();
    });
  }, []);
  return (
    <Page title="Not loaded">
      <ErrorNote error={error} title="This page could not be loaded" onRetry={onRetry} />
    </Page>
  );
}

/** A newer version of the dashboard has replaced the files that this one consists of. */
async function isReplaced(): Promise<boolean> {
  const script = document.querySelector('script[type="module"]')?.getAttribute('src');
  const response = await fetch('/dashboard/', { cache: 'no-store' }).catch(() => undefined);
  return typeof script === 'string' && response?.ok === true && !(await response.text()).includes(script);
}
