import { BRIDGES } from './bridge-scenarios.ts';
import { CHALLENGES } from './challenge-scenarios.ts';
import { CROSSINGS } from './crossing-scenarios.ts';
import { INBOUND } from './inbound-scenarios.ts';
import { MOVING } from './moving-scenarios.ts';
import { OUTBOUND } from './outbound-scenarios.ts';
import { ROUTING } from './routing-scenarios.ts';
import type { Scenario } from './stage.ts';
import type { Topology } from './topology.ts';
import { WITHIN } from './within-scenarios.ts';

const SCENARIOS = [
  ...OUTBOUND,
  ...INBOUND,
  ...MOVING,
  ...BRIDGES,
  ...ROUTING,
  ...CROSSINGS,
  ...CHALLENGES,
  ...WITHIN,
];

/** Those that make sense in a topology. */
export const scenariosOf = (topology: Topology): Scenario[] =>
  SCENARIOS.filter(({ topologies }) => topologies === undefined || topologies.includes(topology));
