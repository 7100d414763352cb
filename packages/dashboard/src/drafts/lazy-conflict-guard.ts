import { lazy } from 'react';
import type { ConflictGuard as Guard } from './conflict-guard.tsx';

/** A `ConflictGuard` that is loaded when another person has saved something. */
export const ConflictGuard = lazy(() =>
  import('./conflict-guard.tsx').then((module) => ({ default: module.ConflictGuard })),
) as unknown as typeof Guard;
