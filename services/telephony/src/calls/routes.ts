import {
  createPhoneCall as createEndpoint,
  exportCalls as exportEndpoint,
  getCall as getEndpoint,
  legacyCalls as legacyEndpoint,
  listCalls as listEndpoint,
  stopCall as stopEndpoint,
  getCallTimeline as timelineEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type StopCallDeps, stopCall } from '../sessions/stop-call.ts';
import { type ExportDeps, exportCalls } from './export-calls.ts';
import { legacyCalls } from './legacy-calls.ts';
import { type PlaceCallDeps, placeCall } from './place-call.ts';
import { type GetCallDeps, getCall, listCalls } from './read-calls.ts';
import { getTimeline, type TimelineDeps } from './timeline/get-timeline.ts';

export function mountCalls(
  app: App,
  deps: PlaceCallDeps & GetCallDeps & ExportDeps & StopCallDeps & TimelineDeps,
): void {
  mount(app, createEndpoint, ({ auth, idempotency, body }) => placeCall(deps, { auth, idempotency, body }));
  mount(app, listEndpoint, ({ auth, body }) => listCalls(deps, auth, body));
  mount(app, exportEndpoint, ({ auth, query }) => ({
    contentType: 'text/csv; charset=utf-8; header=present',
    headers: { 'content-disposition': 'attachment; filename="calls.csv"' },
    body: exportCalls(deps, auth, query),
  }));
  mount(app, getEndpoint, ({ auth, params }) => getCall(deps, auth, params.id));
  mount(app, stopEndpoint, ({ auth, params }) => stopCall(deps, auth, params.id));
  mount(app, timelineEndpoint, ({ auth, params }) => getTimeline(deps, auth.workspaceId, params.id));
  mount(app, legacyEndpoint, ({ auth, query }) => legacyCalls(deps, auth, query));
}
