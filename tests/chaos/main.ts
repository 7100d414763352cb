import { runSuite } from '@parley/devstack';

// `npm run chaos`: faults and attacks with a verdict. Settings are described at the top of each program.
runSuite('chaos', import.meta.dirname, {
  'crash-calls': { about: 'kill -9 around dialing: no call dialed twice, lost or left live' },
  'crash-campaigns': { about: 'kill -9 at named points of a dial: no contact stuck, counters right' },
  'crash-webhooks': { about: 'kill -9 of deliverers, Postgres and RabbitMQ: no event lost or out of order' },
  guard: {
    about: '176 spellings of internal addresses, redirects and DNS rebinding: no connection accepted',
    file: 'packages/kit/tests/outbound/guard.ts',
    standalone: true,
  },
  hostile: {
    about:
      'four workspaces attack for CHAOS_MINUTES (30): no process exits, no other workspace fails or slows down, memory stays bounded',
  },
  'media-fuzz': {
    about: 'a million malformed RTP, RTCP and Opus packets: no exception, no growth',
    file: 'packages/media/tests/fuzz/media-fuzz.ts',
    standalone: true,
  },
  outages: {
    about:
      'every service and the broker are killed while 200 contacts are called: nothing lost or dialed twice',
  },
  pause: { about: 'a campaign at 100 dials a second is paused: time of its last dial' },
  sip: {
    about:
      'every scenario of calls over a trunk against sipp, by TCP, TLS, and UDP through the edge: each ends with the right reason',
    file: 'services/telephony/tests/sip/sip-chaos.ts',
    standalone: true,
  },
  withdrawals: { about: 'campaigns are paused and resumed ten times: one call per dial at the carrier' },
  'sip-campaign': {
    about:
      'a campaign of 100 contacts over a SIP trunk with every outcome: right counters, no number dialed twice',
  },
  'sip-kills': {
    about:
      'the SIP edge and workers are killed 200 times in live calls: each goes on or ends with a reason, no leg is left',
    file: 'services/telephony/tests/sip/sip-kills.ts',
  },
  'sip-scanners': {
    about: '100,000 requests of unknown addresses at the SIP edge: no call, response or growth',
  },
  rolling: { about: 'every replica of every service is replaced under load: no request or call lost' },
});
