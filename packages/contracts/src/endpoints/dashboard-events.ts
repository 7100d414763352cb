import { defineEndpoint } from '../endpoint.ts';

export const streamDashboardEvents = defineEndpoint({
  service: 'gateway',
  access: 'session',
  role: 'viewer',
  tag: 'Dashboard',
  id: 'streamDashboardEvents',
  method: 'GET',
  path: '/dashboard/api/events',
  status: 200,
  envelope: 'bare',
  mediaType: 'text/event-stream',
  errors: ['FORBIDDEN', 'CONFLICT', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  summary: 'Stream changes of the selected workspace',
  description:
    'Server-sent events, for `EventSource`. `ready`: the stream is open. `changes`: `{changes: [{type, id, what, at}], more}`, at most two per ' +
    'second: what changed, never its content; repeated changes of one resource are merged, and types of which more ' +
    'than 100 resources changed are in `more`. `reset`: changes may have been missed, so everything should be read ' +
    'again. `end`: `{reason}`; the stream is closed, because the session has ended, its workspace or role has changed, ' +
    'the workspace does not allow it any more, the person has opened more than ten streams (the page should not open ' +
    'another one by itself), or the page reads too slowly. `Last-Event-ID` resumes a stream for two minutes: changes ' +
    'may then be repeated, and `reset` is sent if there are too many. Without a connection to the broker, streams end and new ' +
    'ones are 503.',
});
