type Input = { gatewayUrl: string; campaignId: string; callId: string; fromNumber: string };

/** Shell commands. They read the key from its file, so that it appears in no terminal or shell history. */
export function nextSteps({ gatewayUrl, campaignId, callId, fromNumber }: Input): string {
  const get = (path: string) => `curl -s -H "authorization: Bearer $PARLEY_KEY" \\\n    ${gatewayUrl}${path}`;
  const post = (path: string, body: object) =>
    `${get(path)} -H 'content-type: application/json' \\\n    -d '${JSON.stringify(body)}'`;
  const steps: [string, string][] = [
    [
      'The key, from the root of the checkout',
      `export PARLEY_KEY=$(node -p "JSON.parse(fs.readFileSync('.stack/demo.json')).private_key")`,
    ],
    ['The call above with its recording, transcript, summary and analysis', get(`/v2/call/${callId}`)],
    ['What happened to it, in order', get(`/v2/call/${callId}/timeline`)],
    ['Its webhooks with all attempts', get(`/v2/call/${callId}/webhooks`)],
    ['The contacts of the campaign', get(`/v1/campaigns/${campaignId}/contacts`)],
    [
      'Another call; the last four digits choose what happens, and 0002 is busy',
      post('/v2/call', { from_number: fromNumber, to_number: '+12125550002' }),
    ],
  ];
  return [
    ...steps.map(([title, command]) => `  # ${title}\n  ${command}`),
    '  The receiver stops with the demo: later webhooks of its assistant fail.',
  ].join('\n\n');
}
