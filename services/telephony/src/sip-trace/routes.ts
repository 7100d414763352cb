import { getSipTrace } from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { readTrace } from './read-trace.ts';

export function mountSipTrace(app: App, deps: Parameters<typeof readTrace>[0]): void {
  mount(app, getSipTrace, ({ params }) => readTrace(deps, params.id));
}
