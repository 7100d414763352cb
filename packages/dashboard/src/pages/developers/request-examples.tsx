import { Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../app/client.ts';
import { useSession } from '../../app/session.ts';
import { CodeTabs } from '../../components/code/code-tabs.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Section } from '../../components/section.tsx';

/** Requests with the workspace's own ids, ready to run once a key is put in. */
export function RequestExamples() {
  const { workspace } = useSession();
  const { data } = useQuery({
    queryKey: ['assistants', 'example'],
    queryFn: async ({ signal }) => {
      const [assistants, numbers] = await Promise.all([
        api.assistants.list({ size: 1 }, { signal }),
        api.phoneNumbers.list({ size: 1 }, { signal }),
      ]);
      return { agentId: assistants.items[0]?.id, from: numbers.items[0]?.phone_number };
    },
  });
  const url = window.location.origin;
  const agentId = data?.agentId ?? 'AGENT_ID';
  const from = data?.from ?? '+15550100100';
  const isOwn = data?.agentId !== undefined && data.from !== undefined;
  return (
    <Section
      title="Place a call"
      description={
        isOwn
          ? 'With an assistant and a number of this workspace. Put in a private key and a number that you may call.'
          : 'Create an assistant and connect a number, and their ids appear here.'
      }
      actions={
        <Group gap={4}>
          <Text size="sm" c="dimmed">
            Workspace <code>{workspace.workspace_id.slice(0, 8)}…</code>
          </Text>
          <CopyButton value={workspace.workspace_id} what="workspace id" />
        </Group>
      }
    >
      <CodeTabs
        label="Place a call"
        samples={[
          { language: 'curl', code: curl(url, agentId, from) },
          { language: 'TypeScript', code: typescript(url, agentId, from) },
          { language: 'Web page', code: webPage(url, agentId) },
        ]}
      />
      <Text size="sm" c="dimmed" mt="sm">
        Every route with its fields is in the{' '}
        <Anchor href="/docs" target="_blank" rel="noopener" underline="always" inherit>
          API reference
        </Anchor>
        , also as an{' '}
        <Anchor href="/openapi.json" target="_blank" rel="noopener" underline="always" inherit>
          OpenAPI document
        </Anchor>
        .
      </Text>
    </Section>
  );
}

const curl = (url: string, agentId: string, from: string) => `curl ${url}/v2/call \\
  -H "Authorization: Bearer $PARLEY_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "from_number": "${from}",
    "to_number": "+15550111234",
    "agent_id": "${agentId}",
    "dynamic_variables": { "name": "Grace" }
  }'`;

const typescript = (
  url: string,
  agentId: string,
  from: string,
) => `import { createClient } from '@parley/client';

const parley = createClient({ baseUrl: '${url}', apiKey: process.env.PARLEY_KEY ?? '' });

const call = await parley.calls.create({
  from_number: '${from}',
  to_number: '+15550111234',
  agent_id: '${agentId}',
  dynamic_variables: { name: 'Grace' },
});
console.log(call.id, call.status);

for await (const call of parley.calls.list({ agent_ids: ['${agentId}'] })) {
  console.log(call.id, call.disconnection_reason);
}`;

const webPage = (url: string, agentId: string) => `<script src="${url}/widget.js" defer></script>
<parley-call public-key="svc_pub_…" agent-id="${agentId}"></parley-call>`;
