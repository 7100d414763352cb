import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@parley/testkit/load';
import type { Answer, Stage } from './stage.ts';

/** The last four digits of a number select the behavior of the simulated carrier. */
const ENDINGS = [
  '0001', '0002', '0003', '0004', '0005', '0006', '0007', '0008', '0009', '0010', '0011', '0012', '4242',
] as const; // biome-ignore format: one line to compare with the list of endings

/** Ids of the requested calls. */
export type Requested = { single: string[]; campaign: string[]; inbound: string[] };

export type Traffic = {
  requested: Requested;
  /** Requests a few calls of each kind, with retries; resolves when all requests were accepted. */
  burst(): Promise<void>;
};

type Line = { id: string; phoneNumber: string; agentId: string };

/** Dials per second of stack time: a slow pace sends dials long after their request, a fast one immediately. */
const PACES = [1000, 4, 4];
const MAX_LIVE = 10_000;
/** Longer than a busy machine needs to restart the HTTP process between two kills. */
const GIVE_UP_MS = 900_000;
const RETRYABLE = [409, 429, 503];

/** Creates traffic in a workspace whose limit allows all calls to be live at once. */
export async function openTraffic({ post, bus, peers }: Stage, random: Random): Promise<Traffic> {
  const workspaceId = randomUUID();
  peers.setSettings(workspaceId, { max_live_calls: MAX_LIVE });
  let given = 0;
  const anyNumber = (ending: string): string => {
    given += 1;
    return `+1${200_000 + given}${ending}`;
  };

  /**
   * Behaves as a client without a response: retries with the same idempotency key. 409: a process died with the lease on
   * the key, which has not expired yet; 503: no connection to the database; 429: too many concurrent changes in the
   * workspace.
   */
  const postUntilAccepted = async (path: string, body: object): Promise<Answer> => {
    const headers = { 'idempotency-key': randomUUID() };
    const givesUpAt = performance.now() + GIVE_UP_MS;
    for (;;) {
      const answer = await post(workspaceId, path, body, headers).catch(() => undefined);
      if (answer && answer.status < 300) return answer;
      if ((answer && !RETRYABLE.includes(answer.status)) || performance.now() > givesUpAt)
        throw new Error(`${path}: ${answer?.text}`);
      await sleep(100);
    }
  };

  const connect = async (maxCps: number, index: number): Promise<Line> => {
    const agent = peers.addAgent(workspaceId);
    // Only one number in three is recorded: a recording is the most expensive part of a call.
    const settings = agent.config.settings as object;
    agent.config.settings = { ...settings, maxCallDuration: 60, recording: { enabled: index === 0 } };
    const phoneNumber = anyNumber('4242');
    const { body } = await postUntilAccepted('/v1/phone-number/sip', {
      phone_number: phoneNumber,
      termination_uri: 'sip.example.com',
      outbound_agent_id: agent.agent_id,
      inbound_agent_id: agent.agent_id,
      max_cps: maxCps,
    });
    return { id: body.data.id ?? '', phoneNumber, agentId: agent.agent_id };
  };
  const [first, ...others] = await Promise.all(PACES.map(connect));
  if (!first) throw new Error('there are no numbers');
  const lines: [Line, ...Line[]] = [first, ...others];
  const requested: Requested = { single: [], campaign: [], inbound: [] };
  const campaignId = randomUUID();

  const remember = (ids: string[], answer: Answer, field: string): void => {
    ids.push(answer.body.data[field] ?? '');
  };

  const placeSingle = async (line: Line, ending: string): Promise<void> => {
    const body = { from_number: line.phoneNumber, to_number: anyNumber(ending) };
    remember(requested.single, await postUntilAccepted('/v2/call', body), 'id');
  };
  const callIn = async (line: Line, ending: string): Promise<void> => {
    const body = { from_number: anyNumber(ending), to_number: line.phoneNumber, script: ['Hello.', 'Bye.'] };
    remember(requested.inbound, await postUntilAccepted('/simulator/inbound', body), 'call_id');
  };
  const dialForCampaign = async (line: Line, ending: string, repeats: readonly boolean[]): Promise<void> => {
    const data = {
      call_id: randomUUID(),
      campaign_id: campaignId,
      contact_id: randomUUID(),
      generation: 1,
      agent_id: line.agentId,
      phone_number_id: line.id,
      to_number: anyNumber(ending),
      dynamic_variables: {},
    };
    requested.campaign.push(data.call_id);
    const id = await bus.publish('dial.requested', workspaceId, data);
    for (const isSame of repeats) {
      await bus.publish('dial.requested', workspaceId, data, isSame ? { id } : {});
    }
  };

  return {
    requested,
    burst: async () => {
      const repeats = [0.3, 0.3].filter((share) => random.chance(share)).map(() => random.chance(0.5));
      await Promise.all([
        placeSingle(random.pick(lines), random.pick(ENDINGS)),
        placeSingle(random.pick(lines), random.pick(ENDINGS)),
        placeSingle(random.pick(lines), random.pick(ENDINGS)),
        dialForCampaign(random.pick(lines), random.pick(ENDINGS), repeats),
        dialForCampaign(random.pick(lines), random.pick(ENDINGS), []),
        ...(random.chance(0.5) ? [callIn(random.pick(lines), random.pick(ENDINGS))] : []),
      ]);
    },
  };
}
