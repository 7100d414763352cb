import { expect } from '@jest/globals';
import type { Lifecycle } from '@parley/kit/lifecycle';
import type { LiveDouble } from '@parley/speech/testing';
import { eventually } from '@parley/testkit';
import { callIn, inboundNumber, timelineOf } from './call-in.ts';
import { anyNumber, type Harness, type Json, startSpokenWorker } from './harness.ts';
import { finished } from './place-call.ts';
import { speechOf } from './speech-doubles.ts';

const PATIENCE = { timeoutMs: 120_000 };

type Decide = Parameters<LiveDouble['moves']>[0];
type Moves = (cause: Parameters<Decide>[0], connection: number) => ReturnType<Decide>;
type Placed = { id: string; of: string };

/** Calls with live models in real time. Each plays a scene, which the prompt of its assistant names. */
export type LiveCalls = {
  /** What the model does in a scene; `connection` counts those of the scene. Without it, the model says what it is told to say. */
  scene(name: string, moves: Moves): void;
  /** The messages of each connection of a scene. */
  connectionsOf(double: LiveDouble, scene: string): (readonly Json[])[];
  breakOff(double: LiveDouble, scene: string): void;
  /** How many answers a model knows that continues by the stored handle; undefined: there is none. */
  knownAnswers(call: Placed): Promise<number | undefined>;
  answered(call: Placed, count: number): Promise<void>;
  agentOf(scene: string, provider: string, config?: Json, tools?: Json[]): Json;
  calledBy(agent: Json, script: string[], ending?: string): Promise<Placed>;
  /** Waits for the end of the call. */
  over(call: Placed): Promise<{ call: Json; timeline: Json[]; said(role: string): string[] }>;
  userTurns(call: Placed, count: number): Promise<void>;
  /** A worker in this process. */
  startWorker(): Promise<Lifecycle>;
};

const promptOf = ([first]: readonly Json[]): string =>
  first?.setup?.systemInstruction?.parts[0].text ?? first?.session?.instructions ?? '';
const plays = (scene: string, messages: readonly Json[]): boolean =>
  promptOf(messages).includes(`scene ${scene} `);

/** The handle with which a connection to Gemini continues. */
export const handleOf = ([first]: readonly Json[]): string | undefined =>
  first.setup.sessionResumption.handle;

/** The conversation that a connection to Gemini continues. */
export const historyOf = (messages: readonly Json[] = []): string[] =>
  messages
    .flatMap(({ clientContent }) => clientContent?.turns ?? [])
    .flatMap(({ parts }) => parts.map(({ text }: Json) => text));

export function createLiveCalls(harness: Harness, doubles: readonly LiveDouble[]): LiveCalls {
  const scenes = new Map<string, Moves>();
  const connectionsOf = (double: LiveDouble, scene: string): (readonly Json[])[] =>
    double.received.filter((messages) => plays(scene, messages));
  for (const double of doubles) {
    double.hears('Some words.');
    double.moves((cause, connection) => {
      const messages = double.received[connection] ?? [];
      const [name, moves] = [...scenes].find(([each]) => plays(each, messages)) ?? [];
      if (name === undefined || !moves) return 'told' in cause ? [{ say: cause.told }] : [];
      return moves(cause, connectionsOf(double, name).indexOf(messages));
    });
  }

  const turns = ({ id, of }: Placed, role: string, count: number): Promise<void> =>
    eventually(async () => {
      const found = (await timelineOf(harness, of, id)).filter((entry) => entry.role === role);
      expect(found.length).toBeGreaterThanOrEqual(count);
    }, PATIENCE);

  return {
    scene: (name, moves) => void scenes.set(name, moves),
    connectionsOf,
    breakOff: (double, scene) => double.breakOff((messages) => plays(scene, messages)),
    agentOf: (scene, provider, config = {}, tools = []) => ({
      tools,
      config: {
        systemPrompt: `You play scene ${scene} here.`,
        firstMessage: '',
        model: { provider, name: 'scripted-1' },
        ...config,
      },
    }),
    calledBy: async (agent, script, ending = '4242') => {
      const number = await inboundNumber(harness, { agent });
      const id = await callIn(harness, number, { from_number: anyNumber(ending), script });
      return { id, of: number.workspaceId };
    },
    over: async ({ id, of }) => {
      const call = await eventually(() => finished(harness, of, id), PATIENCE);
      const timeline = await timelineOf(harness, of, id);
      const said = (role: string): string[] =>
        timeline.flatMap((entry) => (entry.type === 'turn' && entry.role === role ? [entry.content] : []));
      return { call, timeline, said };
    },
    userTurns: (call, count) => turns(call, 'user', count),
    answered: (call, count) => turns(call, 'agent', count),
    knownAnswers: async ({ id }) => {
      const [row] = await harness.sql.$queryRaw<{ answers: number }[]>`
        SELECT (SELECT count(*)::int FROM turns t
          WHERE t.call_id = c.id AND t.role <> 'user' AND t.seq <= (c.model_state->'resumption'->>'seq')::int) AS answers
        FROM calls c WHERE c.id = ${id}::uuid AND c.model_state IS NOT NULL`;
      return row?.answers;
    },
    startWorker: () => startSpokenWorker(harness, speechOf([])),
  };
}
