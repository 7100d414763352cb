/** The groups of the public API, in the order in which a reader meets them, for the OpenAPI document. */
export const TAGS: Readonly<Record<string, string>> = {
  Assistants:
    'Who talks: a name and a configuration document, completed with defaults. Every assistant has tools, may use knowledge bases, and is told of its calls by its `settings.webhookUrl`.',
  Tools:
    'What an assistant can do during a call: custom tools, which are HTTP endpoints of yours, and the native ones `end_call`, `transfer_call` and `send_sms`. What is secret in a tool is kept sealed and reads `********`.',
  'Knowledge bases': 'Documents that assistants search during calls.',
  'Phone numbers':
    'Numbers that are connected from a carrier. Each may name an assistant that answers and one that calls.',
  Calls:
    'Single calls and the history of all calls: transcripts, recordings, analysis. `GET /calls` is the list of version 1, without an envelope.',
  'Do not call': 'Numbers that the workspace never dials.',
  Campaigns: 'Calls to many contacts, with retries, schedules and business hours.',
  'Web calls': 'Calls from a browser: `POST /v2/call/web` and the widget, which a public key may start.',
  Webhooks:
    'What became of the events that were sent to your URLs, and ways to send them again. The events themselves are described as webhooks.',
  Simulator: 'The simulated carrier of development stacks.',
  Dashboard:
    'People, their sessions, and what they manage in a workspace: members and keys. A session counts wherever a private key does (but at `POST /widget/call`); a viewer reads only. No key is taken here.',
};
