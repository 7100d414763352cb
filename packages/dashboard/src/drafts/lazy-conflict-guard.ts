import { lazyComponent } from '../components/lazy-component.tsx';
import type { ConflictGuard as Guard } from './conflict-guard.tsx';

/** A `ConflictGuard` that is loaded when another person has saved something. */
export const ConflictGuard = lazyComponent(
  () => import('./conflict-guard.tsx'),
  'ConflictGuard',
) as unknown as typeof Guard;
