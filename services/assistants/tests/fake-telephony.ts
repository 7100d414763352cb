import { listSpeechProviders, type ResponseOf, walkPhoneNumbers } from '@parley/contracts';
import { createApp, type InternalTokens, listen, mount } from '@parley/kit/http';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { Log } from '@parley/kit/log';
import { createMetrics } from '@parley/kit/observability';
import { type FaultProxy, faultProxy } from '@parley/testkit';

type Number = ResponseOf<typeof walkPhoneNumbers>[number];

export type FakeTelephony = {
  /** A proxy in front of it: `cut()` makes it unreachable. */
  link: FaultProxy;
  /** Its numbers, by id. */
  numbers: Map<string, Number>;
  /** The capabilities of its speech providers. */
  speech: ResponseOf<typeof listSpeechProviders>;
  /** Runs after it has read its data and before it responds. */
  beforeAnswer: () => Promise<unknown>;
};

type Deps = { internalTokens: InternalTokens; log: Log; lifecycle: Lifecycle };

/** A fake of the telephony service. */
export async function fakeTelephony({ internalTokens, log, lifecycle }: Deps): Promise<FakeTelephony> {
  const metrics = createMetrics('telephony');
  const app = createApp({ service: 'telephony', log, metrics, internalTokens, readiness: async () => {} });
  mount(app, walkPhoneNumbers, async ({ body: { after, up_to: upTo, limit } }) => {
    const ids = [...telephony.numbers.keys()].sort();
    const inRange = ids.filter((id) => (!after || id > after) && (!upTo || id <= upTo)).slice(0, limit);
    const answer = inRange.flatMap((id) => telephony.numbers.get(id) ?? []);
    await telephony.beforeAnswer();
    return answer;
  });
  mount(app, listSpeechProviders, () => telephony.speech);
  const { port } = await listen(app, { host: '127.0.0.1', port: 0 }, lifecycle);
  const link = await faultProxy(`http://127.0.0.1:${port}`);
  lifecycle.onStop('link to telephony', () => link.close());
  const telephony: FakeTelephony = { link, numbers: new Map(), speech: [], beforeAnswer: async () => {} };
  return telephony;
}
