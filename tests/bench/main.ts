import { runSuite } from '@parley/devstack';

// `npm run bench`: throughput and latency. Settings are described at the top of each program.
runSuite('bench', import.meta.dirname, {
  analytics: { about: 'analytics of a million calls in a year, by day, assistant, number and campaign' },
  assistants: { about: 'lists and updates among 100,000 assistants' },
  'body-handlers': {
    about:
      'one MiB of hostile JSON through gateway and handlers, uploads among them: CPU time of each process',
  },
  bodies: { about: 'one MiB of hostile JSON in every field of every endpoint: CPU time', standalone: true },
  bus: { about: 'latency from a committed message to its handler in another process' },
  'call-reads': { about: 'lists and reads of a workspace with a million calls' },
  calls: { about: '100 calls a second from dial to end: latency of call.started, memory, CPU time' },
  dashboard: { about: 'the dashboard in Chromium: a million calls, page changes, a live campaign' },
  dispatch: { about: '200 contacts a second become due among a million: delay until the dial request' },
  erasure: { about: 'erasure of one number among a million calls, during other requests' },
  gateway: {
    about: 'cost of the gateway, compared with direct requests and Express apps that forward with got',
  },
  ingest: { about: 'a million contacts in one POST: time, memory, latency of other requests' },
  knowledge: { about: 'searches in a base of 100,000 passages, in a table of a million' },
  media: { about: '40 and 200 calls of G.711 over UDP: gaps, loss, CPU time', standalone: true },
  pace: {
    about: 'six numbers, a worker killed every 10 s: distance of dials, slots used, spread (13 minutes)',
  },
  pages: { about: 'memory while sixteen slow clients read the largest pages' },
  rotation: { about: '10,000 secrets are re-encrypted while they are read and changed' },
  shares: { about: 'latency of one workspace while another sends the most expensive requests' },
  sip: {
    about:
      '5,000 set-ups at 50 a second over a trunk, and 40 calls with audio a worker, also through the edge to two: failures, gaps, loss',
    file: 'services/telephony/tests/sip/sip-bench.ts',
    standalone: true,
  },
  start: {
    about: '`npm start` without voice: time until it is ready, memory when it is idle',
    standalone: true,
  },
  'web-calls': {
    about:
      '30 spoken web calls over WebRTC: gaps, loss, CPU time; in Chromium: first audio, reconnection, fallback',
  },
  voice: {
    about: 'spoken calls: time to the answer, interruptions, 40 calls at once, leaks, a killed worker',
  },
  webhooks: { about: '2,000 deliveries a second to 500 endpoints, also with 20 that never answer' },
});
