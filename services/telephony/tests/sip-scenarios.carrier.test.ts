import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { hasSipp } from '@parley/testkit/sip';
import { BRIDGES } from './sip/bridge-scenarios.ts';
import { CROSSINGS } from './sip/crossing-scenarios.ts';
import { INBOUND } from './sip/inbound-scenarios.ts';
import { MOVING } from './sip/moving-scenarios.ts';
import { OUTBOUND } from './sip/outbound-scenarios.ts';
import { ROUTING } from './sip/routing-scenarios.ts';
import { openStage, type Stage } from './sip/stage.ts';

const isInstalled = hasSipp();
if (!isInstalled)
  console.warn('sipp is not installed (apt-get install sip-tester): its scenarios are skipped');
// SIP_SCENARIOS=all: also those of `npm run chaos -- sip`.
const scenarios = [...OUTBOUND, ...INBOUND, ...MOVING, ...BRIDGES, ...ROUTING, ...CROSSINGS].filter(
  ({ isCore }) => isCore || process.env.SIP_SCENARIOS === 'all',
);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

(isInstalled ? describe : describe.skip)(
  'a SIP trunk (sipp over TCP) [sip.1] [sip.2] [sip.3] [sip.4] [sip.5] [sip.6] [sip.7] [sip.8] [sip.12] [sip.13] [sip.14] [sip.15] [sip.16] [sip.18] [sip.19] [sip.20]',
  () => {
    it.each(scenarios)('$name', ({ run }) => run(stage));
  },
);
