import { CatchBoundary } from '@tanstack/react-router';
import { type ComponentProps, type ComponentType, lazy, Suspense, useState } from 'react';
import { isLoadFailure } from '../app/describe-error.ts';
import { DialogFailure, type FailureProps } from './dialog-failure.tsx';
import { ErrorNote } from './error-note.tsx';

// biome-ignore lint/suspicious/noExplicitAny: as React's `lazy`, which takes a component with any properties.
type AnyComponent = ComponentType<any>;

/**
 * The named component of a module that is loaded when it is first shown; it suspends until then. If it can't be loaded, as without a
 * network, `Failure` takes its place and can load it again: the rest of the page stays, with what was typed in it [dashboard.31].
 */
export function lazyComponent<Name extends string, Module extends Record<Name, AnyComponent>>(
  load: () => Promise<Module>,
  name: Name,
  Failure: ComponentType<FailureProps> = ErrorNote,
) {
  /** Loads it before it is shown. */
  const preload = async () => {
    part = (await load())[name];
  };
  // React remembers a failure of `lazy`, so each attempt has its own.
  const attempt = (): AnyComponent => lazy(() => preload().then(() => ({ default: part })));
  /** The component itself once it is there. */
  let part = attempt();

  function LazyComponent(props: ComponentProps<Module[Name]>) {
    const [Part, setPart] = useState(() => part);
    const [error, setError] = useState<unknown>();
    const { onClose } = props as Pick<FailureProps, 'onClose'>;
    if (error !== undefined) {
      const retry = () => {
        setPart(() => part);
        setError(undefined);
      };
      return <Failure error={error} onRetry={retry} onClose={onClose} />;
    }
    const onCatch = (caught: unknown) => {
      part = attempt();
      setError(caught);
    };
    return (
      <CatchBoundary getResetKey={noKey} errorComponent={Nothing} onCatch={onCatch}>
        <Part {...(props as object)} />
      </CatchBoundary>
    );
  }
  return Object.assign(LazyComponent, { preload });
}

/** The same for a dialog. Nothing is shown until it is there. */
export function lazyDialog<Name extends string, Module extends Record<Name, AnyComponent>>(
  load: () => Promise<Module>,
  name: Name,
) {
  const Dialog = lazyComponent(load, name, DialogFailure);
  return (props: ComponentProps<Module[Name]>) => (
    <Suspense>
      <Dialog {...props} />
    </Suspense>
  );
}

const noKey = () => undefined;

/** Until the failure is shown. A defect of the component is an error of the page. */
function Nothing({ error }: { error: unknown }) {
  if (!isLoadFailure(error)) throw error;
  return null;
}
