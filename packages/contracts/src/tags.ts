/** The groups of the public API, in the order of the OpenAPI document. */
export const TAGS: Readonly<Record<string, string>> = {
  Assistants:
    'Voice assistants: a name and a configuration, completed with defaults. An assistant has its own tools, can ' +
    'search knowledge bases, and sends the events of its calls to `settings.webhookUrl`.',
  Tools:
    'Actions that an assistant can take during a call: custom tools, which call your HTTP endpoints, and the native ' +
    'tools `end_call`, `transfer_call` and `send_sms`. Secrets are stored encrypted and returned as `********`.',
  'Knowledge bases': 'Documents that assistants search during calls.',
  'Phone numbers':
    'Phone numbers connected over SIP trunking or imported from a carrier account. Each can have an assistant for ' +
    'inbound calls and one for outbound calls.',
  Calls:
    'Outbound calls, and the history of all calls with transcripts, recordings and analysis. `GET /calls` is the ' +
    'legacy list of version 1, without an envelope.',
  'Do not call': 'Numbers that the workspace never dials.',
  Campaigns: 'Outbound calls to many contacts, with retries, schedules and business hours.',
  'Web calls': 'Calls from a browser: started with `POST /v2/call/web`, or by the widget with a public key.',
  Webhooks:
    'Delivery history of the events sent to your URLs, resending and testing. The events themselves are documented ' +
    'under webhooks.',
  Analytics:
    'Figures of calls by day, assistant, number and campaign, calls that are live, and what needs attention.',
  'Audit log': 'Record of changes in the workspace.',
  Privacy: "Erasure of a person's data from the workspace, with a receipt.",
  Simulator: 'The simulated carrier of development stacks.',
  Dashboard:
    'User sessions, and the members, API keys and settings of a workspace. These routes accept a session only. A ' +
    'session is also accepted wherever a private key is; the `viewer` role is read-only.',
};
