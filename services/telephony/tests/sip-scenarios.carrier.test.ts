import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hasSipp } from '@parley/testkit/sip';
import { scenariosOf } from './sip/scenarios.ts';
import { openStage, type Scenario, type Stage } from './sip/stage.ts';
import { isTopologyInstalled, type Topology } from './sip/topology.ts';

const hasTrunk = hasSipp();
if (!hasTrunk) console.warn('sipp is not installed (apt-get install sip-tester): its scenarios are skipped');
else if (!isTopologyInstalled('edge'))
  console.warn('Kamailio is not installed (apt-get install kamailio): the scenarios by the edge are skipped');

/** What differs most between the topologies; the others run over TCP here, and in each topology in `npm run chaos -- sip`. */
const IN_EACH_TOPOLOGY: readonly string[] = [
  'answered, and hung up by us',
  'answered, and hung up by the far end',
  '486 Busy Here is busy',
  'credentials that the trunk accepts after 407',
  'early media is there before the answer',
  'an answer that crosses our CANCEL is acknowledged and hung up',
  'the far end holds the call and comes back',
  'an answer whose description is malformed',
  'a call from the address of the trunk is answered, and hung up by the caller',
  'a call that proves the credentials of the trunk is taken',
  'a call that we decline gets 480',
  'a cold transfer: the trunk connects the target and reports it',
  'an answered leg goes on in another process, after a glare, and is hung up there',
  'a ringing leg of a dead process whose answer crosses our CANCEL is acknowledged and hung up',
];

// SIP_SCENARIOS=all: also those of `npm run chaos -- sip`.
const chosen = (topology: Topology): Scenario[] =>
  scenariosOf(topology).filter(
    ({ name, isCore, topologies }) =>
      process.env.SIP_SCENARIOS === 'all' ||
      (isCore && (topology === 'tcp' || topologies?.length === 1)) ||
      IN_EACH_TOPOLOGY.includes(name),
  );

const runs: readonly (readonly [Topology, string])[] = [
  [
    'tcp',
    'a SIP trunk (sipp over TCP) [sip.1] [sip.2] [sip.3] [sip.4] [sip.5] [sip.6] [sip.7] [sip.8] [sip.12] [sip.13] [sip.14] [sip.15] [sip.16] [sip.18] [sip.19] [sip.20]',
  ],
  ['tls', 'a SIP trunk over TLS (sipp behind a proxy) [sip.1] [sip.10]'],
  ['edge', 'a SIP trunk over UDP by the edge (sipp and Kamailio) [sip.1] [sip.30]'],
];

for (const [topology, name] of runs)
  (hasTrunk && isTopologyInstalled(topology) ? describe : describe.skip)(name, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await openStage(topology);
    });
    afterAll(() => stage?.close());

    it.each(chosen(topology))('$name', ({ run }) => run(stage));
  });

it('the scenarios of each topology exist', () => {
  for (const topology of ['tls', 'edge'] as const)
    expect(scenariosOf(topology).map(({ name }) => name)).toEqual(
      expect.arrayContaining([...IN_EACH_TOPOLOGY]),
    );
});
