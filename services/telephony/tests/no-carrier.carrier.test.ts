import { createClock } from '@parley/kit/time';
import { createNoCarrier } from '../src/carriers/no-carrier.ts';
import { carrierContract } from './contracts/carrier-contract.ts';
import { NOTHING } from './contracts/carrier-under-test.ts';

const carrier = createNoCarrier(createClock({ rate: 1, originMs: Date.now() }));

carrierContract('none is configured', {
  carrier: () => carrier,
  other: () => carrier,
  capabilities: { transfer: false, takeover: 'none', media: 'text' },
  pressesKeys: false,
  endOfGoneLeg: 'local',
  soFar: async () => NOTHING,
});
