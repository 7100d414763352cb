import { type ComponentType, lazy } from 'react';

/** The named component of a module that is loaded when it is first shown. */
export function lazyComponent<
  Name extends string,
  // biome-ignore lint/suspicious/noExplicitAny: as React's `lazy`, which takes a component with any properties.
  Module extends Record<Name, ComponentType<any>>,
>(load: () => Promise<Module>, name: Name) {
  return lazy<Module[Name]>(async () => ({ default: (await load())[name] }));
}
