import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@parley/testkit/load';
import type { Answer, Stage } from './stage.ts';

/** What the simulated carrier does with a number follows from its last four digits. */
const ENDINGS = [
  '0001', '0002', '0003', '0004', '0005', '0006', '0007', '0008', '0009', '0010', '0011', '0012', '4242',
] as const; // biome-ignore format: one line to compare with the list of endings

/** Calls that were asked for, by the ids that are known of them. */
export type Asked = { single: string[]; campaign: string[]; inbound: string[] };

export type Traffic = {
  asked: Asked;
  /** A few calls of all sorts; resolves when all have been asked for, however often that took. */
  burst(): Promise<void>;
};

type Line = { id: string; phoneNumber: string; agentId: string };

/** Dials a stack second: with some the request leaves a while after it was granted, with others at once. */
const PACES = [1000, 4, 4];
const MAX_LIVE = 10_000;
/** Longer than a busy machine needs to start the HTTP process again between two kills. */
const GIVE_UP_MS = 300_000;
const TRY_AGAIN = [409, 429, 503];

/** A workspace whose calls may all be live at once. */
export async function openTraffic({ post, bus, peers }: Stage, random: Random): Promise<Traffic> {
  const workspaceId = randomUUID();
  peers.setSettings(workspaceId, { max_live_calls: MAX_LIVE });
  let given = 0;
  const anyNumber = (ending: string): string => {
    given += 1;
    return `+1${200_000 + given}${ending}`;
  };

  /**
   * As a client does that has got no answer: asks with the same key until there is one. A process that died with the key
   * in its hands, before it had done anything, keeps it until its lease runs out: 409 until then. One that has no connection
   * to the database says 503; one that is busy with other changes of the workspace says 429.
   */
  const insist = async (path: string, body: object): Promise<Answer> => {
    const headers = { 'idempotency-key': randomUUID() };
    const givesUpAt = performance.now() + GIVE_UP_MS;
    for (;;) {
      const answer = await post(workspaceId, path, body, headers).catch(() => undefined);
      if (answer && answer.status < 300) return answer;
      if ((answer && !TRY_AGAIN.includes(answer.status)) || performance.now() > givesUpAt)
        throw new Error(`${path}: ${answer?.text}`);
      await sleep(100);
    }
  };

  const connect = async (maxCps: number, index: number): Promise<Line> => {
    const agent = peers.addAgent(workspaceId);
    // Recordings are of one number in three: they are the dearest part of a call.
    const settings = agent.config.settings as object;
    agent.config.settings = { ...settings, maxCallDuration: 60, recording: { enabled: index === 0 } };
    const phoneNumber = anyNumber('4242');
    const { body } = await insist('/v1/phone-number/sip', {
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
  const asked: Asked = { single: [], campaign: [], inbound: [] };
  const campaignId = randomUUID();

  const remember = (ids: string[], answer: Answer, field: string): void => {
    ids.push(answer.body.data[field] ?? '');
  };

  const placeSingle = async (line: Line, ending: string): Promise<void> => {
    const body = { from_number: line.phoneNumber, to_number: anyNumber(ending) };
    remember(asked.single, await insist('/v2/call', body), 'id');
  };
  const callIn = async (line: Line, ending: string): Promise<void> => {
    const body = { from_number: anyNumber(ending), to_number: line.phoneNumber, script: ['Hello.', 'Bye.'] };
    remember(asked.inbound, await insist('/simulator/inbound', body), 'call_id');
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
    asked.campaign.push(data.call_id);
    const id = await bus.publish('dial.requested', workspaceId, data);
    for (const isSame of repeats) {
      await bus.publish('dial.requested', workspaceId, data, isSame ? { id } : {});
    }
  };

  return {
    asked,
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
