import { describe } from '@jest/globals';
import { hasSipp } from '@parley/testkit/sip';
import { carrierContract } from './contracts/carrier-contract.ts';
import { sipUnderTest } from './sip/carrier-under-test.ts';
import { isTopologyInstalled } from './sip/topology.ts';

for (const [topology, name] of [
  ['tcp', 'SIP over TCP (sipp) [sip.1]'],
  ['edge', 'SIP over UDP by the edge (sipp and Kamailio) [sip.1] [sip.30]'],
] as const)
  (hasSipp() && isTopologyInstalled(topology) ? describe : describe.skip)(name, () =>
    carrierContract(name, sipUnderTest(topology)),
  );
