import { type Attack, bearer, makeRoom, send } from './attack.ts';

/** Outcomes of the simulated carrier [running.2]: callee uses each tool, never hangs up, hangs up; responses are lost. */
const ENDINGS = ['0010', '0010', '0006', '0007', '0008', '0011', '0012', '4321'] as const;

/** A call to a misbehaving callee, or an inbound call with a script of very long lines. */
export const attackByCalls: Attack = async (attacker, random) => {
  const digits = String(Math.floor(random.upTo(1e6))).padStart(6, '0');
  const isInbound = random.chance(0.3);
  const answer = await send(attacker, {
    method: 'POST',
    path: isInbound ? '/simulator/inbound' : '/v2/call',
    headers: bearer(attacker.privateKey),
    body: JSON.stringify(
      isInbound
        ? {
            from_number: `+1303${digits}`,
            to_number: attacker.phoneNumber,
            script: Array.from({ length: 20 }, () => 'a語'.repeat(Math.floor(random.upTo(2_000)))),
          }
        : {
            from_number: attacker.phoneNumber,
            to_number: `+1${digits}${random.pick(ENDINGS)}`,
            dynamic_variables: { text: 'x'.repeat(Math.floor(random.upTo(20_000))) },
            metadata: { text: '語'.repeat(Math.floor(random.upTo(6_000))) },
          },
    ),
  });
  await makeRoom(attacker, answer);
  return `call ${answer.status}`;
};

/** A visitor with the public key: calls that are never joined, and calls that get messages as fast as possible. */
export const attackByWidget: Attack = async (attacker, random) => {
  const started = await send(attacker, {
    method: 'POST',
    path: '/widget/call',
    headers: { ...bearer(attacker.publicKey), origin: 'https://evil.example' },
    body: JSON.stringify({
      agent_id: attacker.agentId,
      dynamic_variables: { x: 'y'.repeat(random.upTo(5_000)) },
    }),
  });
  await makeRoom(attacker, started);
  if (started.status !== 201 || random.chance(0.3)) return `widget ${started.status}`;
  const { access_token } = (JSON.parse(started.text) as { data: { access_token: string } }).data;
  const headers = { 'x-access-token': access_token };
  const joined = await send(attacker, { method: 'POST', path: '/widget/session/join', headers });
  for (let n = 0; n < 10; n += 1) {
    const body = JSON.stringify({ text: '語'.repeat(1 + Math.floor(random.upTo(2_000))) });
    await send(attacker, { method: 'POST', path: '/widget/session/messages', headers, body });
  }
  return `widget joined ${joined.status}`;
};
