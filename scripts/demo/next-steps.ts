type Input = { gatewayUrl: string; campaignId: string; callId: string; agentId: string; fromNumber: string };

/** Lines for the shell. The key is read from the file, so that it stands in no history. */
export function nextSteps({ gatewayUrl, campaignId, callId, agentId, fromNumber }: Input): string {
  const get = (path: string) => `curl -s ${gatewayUrl}${path} -H "authorization: Bearer $PARLEY_KEY"`;
  const post = (path: string, body: object) =>
    `${get(path)} \\\n    -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const steps: [string, string][] = [
    [
      'The key, from the root of the checkout',
      `export PARLEY_KEY=$(node -p "JSON.parse(fs.readFileSync('.stack/demo.json')).private_key")`,
    ],
    ['A call with transcript, summary and analysis', get(`/v2/call/${callId}`)],
    ['Its webhooks with every attempt', get(`/v2/call/${callId}/webhooks`)],
    ['The contacts of the campaign', get(`/v1/campaigns/${campaignId}/contacts`)],
    [
      'Another call, to a number that is busy',
      post('/v2/call', { from_number: fromNumber, to_number: '+12125550002', agent_id: agentId }),
    ],
  ];
  return [
    ...steps.map(([title, command]) => `  # ${title}\n  ${command}`),
    '  The receiver ends with the demo: webhooks of later calls of its assistant find nobody.',
  ].join('\n\n');
}
