import { type Attack, bearer, send } from './attack.ts';

const PLACEHOLDERS = ['{{a}}', '{{ a }}', '{{b}}', '{{a}}{{b}}', '{{unknown}}', '{{a'] as const;
const MAX_PROMPT = 100_000;
const MAX_MESSAGE = 10_000;

/** Placeholders that multiply a variable, in the texts of calls of each kind, and in a test [trust.29]. */
export const attackByTexts: Attack = async (attacker, random) => {
  const fill = (characters: number): string => {
    const placeholder = random.pick(PLACEHOLDERS);
    return placeholder.repeat(characters / placeholder.length);
  };
  const post = (path: string, body: object, key = attacker.privateKey) =>
    send(attacker, { method: 'POST', path, headers: bearer(key), body: JSON.stringify(body) });
  const created = await post('/v1/assistant', {
    agent_name: 'Texts',
    config: {
      systemPrompt: fill(MAX_PROMPT),
      firstMessage: fill(MAX_MESSAGE),
      settings: { voicemail: { action: 'leave_message', message: fill(MAX_MESSAGE) } },
    },
  });
  if (created.status !== 201) return `texts: assistant ${created.status}`;
  const { id: agent_id } = (JSON.parse(created.text) as { data: { id: string } }).data;
  const dynamic_variables = random.pick<Record<string, unknown>>([
    { a: 'x'.repeat(16_000) },
    { a: ['語'.repeat(2_000)], b: { c: '"'.repeat(4_000) } },
    {},
  ]);
  await post('/v1/assistant/test-turn', { agent_id, dynamic_variables });
  await post('/widget/call', { agent_id, dynamic_variables: { a: 'y'.repeat(4_000) } }, attacker.publicKey);
  const { status } = await post('/v2/call', {
    agent_id,
    from_number: attacker.phoneNumber,
    to_number: `+1303${String(Math.floor(random.upTo(1e6))).padStart(6, '0')}4321`,
    dynamic_variables,
  });
  return `texts ${status}`;
};
