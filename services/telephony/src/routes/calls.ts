import {
  createPhoneCall as createEndpoint,
  getCall as getEndpoint,
  legacyCalls as legacyEndpoint,
  listCalls as listEndpoint,
  stopCall as stopEndpoint,
  getCallTimeline as timelineEndpoint,
} from '@parley/contracts';
import { type App, mount } from '@parley/kit/http';
import { type GetCallDeps, getCall } from '../domain/call-history/get-call.ts';
import { legacyCalls } from '../domain/call-history/legacy-calls.ts';
import { listCalls } from '../domain/call-history/list-calls.ts';
import { type PlaceCallDeps, placeCall } from '../domain/placing/place-call.ts';
import { type StopCallDeps, stopCall } from '../domain/stopping/stop-call.ts';
import { getTimeline } from '../domain/timeline/get-timeline.ts';
import type { Timelines } from '../domain/timeline/ports.ts';

export function mountCalls(
  app: App,
  deps: PlaceCallDeps & GetCallDeps & StopCallDeps & { timelines: Timelines },
): void {
  mount(app, createEndpoint, ({ auth: { workspaceId }, idempotency, body }) =>
    placeCall(deps, { workspaceId, idempotency, body }),
  );
  mount(app, listEndpoint, ({ auth, body }) => listCalls(deps, auth.workspaceId, body));
  mount(app, getEndpoint, ({ auth, params }) => getCall(deps, auth.workspaceId, params.id));
  mount(app, stopEndpoint, ({ auth: { workspaceId }, params: { id } }) =>
    stopCall(deps, { workspaceId, id }),
  );
  mount(app, timelineEndpoint, ({ auth, params }) => getTimeline(deps, auth.workspaceId, params.id));
  mount(app, legacyEndpoint, ({ auth, query }) => legacyCalls(deps, auth.workspaceId, query));
}
