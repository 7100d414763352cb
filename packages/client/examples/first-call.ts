import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@parley/client';

const parley = createClient({
  baseUrl: process.env.PARLEY_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.PARLEY_KEY ?? '',
});

const assistant = await parley.assistants.create({
  agent_name: 'Ada',
  config: { firstMessage: 'Hello {{name}}, this is Ada.' },
});
const number = await parley.phoneNumbers.connectSip({
  phone_number: `+1555${Date.now().toString().slice(-7)}`,
  termination_uri: 'sip.example.com',
  outbound_agent_id: assistant.id,
});

let call = await parley.calls.create({
  from_number: number.phone_number,
  to_number: '+15550111234',
  dynamic_variables: { name: 'Grace' },
});
while (call.status !== 'completed') {
  await sleep(500);
  call = await parley.calls.get(call.id);
}
console.log(`The call ended with ${call.disconnection_reason} after ${call.duration} seconds`);
