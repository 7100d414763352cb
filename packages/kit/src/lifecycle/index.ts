export { createLifecycle, type Lifecycle } from './create-lifecycle.ts';
export { runMain } from './run-main.ts';
