import { streamDashboardEvents } from '@parley/contracts';
import type { Amqp } from '@parley/kit/amqp';
import { type App, mount } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Metrics } from '@parley/kit/observability';
import { openSessionOf } from '../access/admission.ts';
import { callerOfSession } from '../access/authenticate-caller.ts';
import { isAllowed } from '../access/require-allowed.ts';
import { hasExpired } from '../sessions/session-life.ts';
import type { SessionDeps } from '../sessions/sessions.ts';
import { hashToken } from '../sessions/tokens.ts';
import { createEventStreams, type Reader } from './event-streams.ts';
import { createFeeds } from './feeds.ts';

type Deps = SessionDeps & { amqp: Amqp; lifecycle: Lifecycle; metrics: Metrics; maxEventStreams: number };

const HEADERS = {
  'cache-control': 'no-store',
  // Prevents proxies from buffering the events.
  'x-accel-buffering': 'no',
};

export function mountEvents(app: App, deps: Deps): void {
  const streams = createEventStreams(createFeeds(deps.amqp), deps.lifecycle, deps.maxEventStreams);
  deps.metrics.gauge('parley_event_streams', 'Open event streams of the dashboard', [], (gauge) =>
    gauge.set(streams.count()),
  );
  mount(app, streamDashboardEvents, ({ req, auth }) => {
    const response = { contentType: 'text/event-stream; charset=utf-8', headers: HEADERS };
    if (req.method === 'HEAD' || !req.res) return { ...response, body: '' };
    const { session, token } = openSessionOf(req);
    const hash = hashToken('session', token, deps.pepper);
    const { workspaceId } = auth;
    const role = session.member?.role;

    const whyNot: Reader['whyNot'] = async () => {
      const now = await deps.sessions.findByHash(hash);
      if (!now || hasExpired(now, deps.sessionLife, deps.clock)) return 'session_ended';
      if (now.member?.workspaceId !== workspaceId) return 'workspace_changed';
      if (now.member.role !== role) return 'role_changed';
      return isAllowed(streamDashboardEvents, callerOfSession({ session: now, token }))
        ? undefined
        : 'not_allowed';
    };
    const resumeFrom = req.get('last-event-id');
    const reader = { personId: session.personId, workspaceId, resumeFrom, whyNot, response: req.res };
    return { ...response, body: streams.open(reader) };
  });
}
