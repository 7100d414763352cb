import { createClient, ParleyError } from '@parley/client';

const parley = createClient({
  baseUrl: process.env.PARLEY_URL ?? 'http://127.0.0.1:8080',
  apiKey: process.env.PARLEY_KEY ?? '',
});

// One page, or everything: a list is both.
const page = await parley.calls.list({ call_types: ['outbound'], size: 20 });
console.log(`${page.items.length} of ${page.total} calls`);
for await (const call of parley.calls.list({ call_types: ['outbound'] })) {
  console.log(call.id, call.status, call.disconnection_reason);
}

try {
  await parley.campaigns.create(
    { campaign_name: 'Reminders', agent_id: 'nobody', phone_number: '+15550100200', contacts: [] },
    { idempotencyKey: 'reminders-of-monday', signal: AbortSignal.timeout(10_000) },
  );
} catch (err) {
  if (!(err instanceof ParleyError)) throw err;
  console.log(err.status, err.code, err.details[0]?.path, err.requestId !== undefined);
}
