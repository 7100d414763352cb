import { ActionIcon, Badge, Button, Group, Paper, Skeleton, Stack, Switch, Text } from '@mantine/core';
import { IconDots, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../../../app/client.ts';
import { notifyDone } from '../../../app/notify.ts';
import { Actions } from '../../../components/actions.tsx';
import { ConfirmAction } from '../../../components/confirm-action.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { FieldSet } from '../../../components/field-set.tsx';
import { lazyDialog } from '../../../components/lazy-component.tsx';
import { RoleGate } from '../../../components/role-gate.tsx';
import { writeDraft } from '../../../drafts/draft-storage.ts';
import { useDraftKey } from '../../../drafts/use-draft-key.ts';
import { useGonePartDrafts } from '../../../drafts/use-gone-drafts.ts';
import { NEW_TOOL, toolDraftName, toolDraftsName, tryDraftName, tryDraftsName } from '../model/draft.ts';
import { assistantQuery, type Tool, toolsQuery } from '../queries.ts';
import { useEditor } from './editor-context.ts';
import { NativeTools } from './native-tools.tsx';
import { Section } from './section.tsx';

const ToolDrawer = lazyDialog(() => import('../../tools/tool-drawer.tsx'), 'ToolDrawer');

/** The tools of the assistant. Custom tools are saved on their own, at once; which are used belongs to the draft. */
export function ToolsSection() {
  const { base, lockedBecause } = useEditor();
  const tools = useQuery(toolsQuery(base.id));
  const [opened, setOpened] = useState<Tool | 'new' | null>(null);
  const custom = tools.data?.filter(({ is_native }) => is_native !== true) ?? [];
  const known = useMemo(() => tools.data && [NEW_TOOL, ...tools.data.map(({ id }) => id)], [tools.data]);
  // While it is read again, another tab may have added one.
  useGonePartDrafts(toolDraftsName(base.id), tools.isFetching ? undefined : known);
  useGonePartDrafts(tryDraftsName(base.id), tools.isFetching ? undefined : known);
  return (
    <Stack gap="xl">
      <FieldSet disabled={lockedBecause !== undefined}>
        <NativeTools />
      </FieldSet>
      <Section
        title="Custom tools"
        about="HTTP endpoints of yours that the assistant calls during a conversation, such as for free appointments or the state of an order."
      >
        {tools.isPending && <Skeleton height={64} />}
        {tools.isError && <ErrorNote error={tools.error} onRetry={() => void tools.refetch()} />}
        {tools.isSuccess && custom.length === 0 && (
          <Text size="sm" c="dimmed">
            No custom tools yet.
          </Text>
        )}
        {custom.map((tool) => (
          <ToolRow key={tool.id} tool={tool} onOpen={() => setOpened(tool)} />
        ))}
        <div>
          <RoleGate minimum="developer">
            <Button variant="default" leftSection={<IconPlus size={16} />} onClick={() => setOpened('new')}>
              Add tool
            </Button>
          </RoleGate>
        </div>
      </Section>
      {opened ? <ToolDrawer agentId={base.id} tool={opened} onClose={() => setOpened(null)} /> : null}
    </Stack>
  );
}

function ToolRow({ tool, onOpen }: { tool: Tool; onOpen(): void }) {
  const { get, set, base, lockedBecause } = useEditor();
  const client = useQueryClient();
  const value = get('config.toolIds');
  const ids = Array.isArray(value) ? value.map(String) : [];
  const isUsed = ids.includes(tool.id);
  const draftKey = useDraftKey(toolDraftName(base.id, tool.id));
  const tryDraftKey = useDraftKey(tryDraftName(base.id, tool.id));
  const remove = async () => {
    await api.tools.delete(tool.id);
    writeDraft(draftKey, undefined);
    writeDraft(tryDraftKey, undefined);
    await client.invalidateQueries({ queryKey: toolsQuery(base.id).queryKey });
    await client.invalidateQueries({ queryKey: assistantQuery(base.id).queryKey });
    notifyDone(`${tool.tool_name} is deleted`);
  };
  return (
    <Paper withBorder p="sm">
      <Group wrap="nowrap" align="flex-start">
        <Switch
          mt={2}
          aria-label={`Use ${tool.tool_name}`}
          checked={isUsed}
          disabled={lockedBecause !== undefined}
          onChange={(event) =>
            set(
              'config.toolIds',
              event.currentTarget.checked ? [...ids, tool.id] : ids.filter((id) => id !== tool.id),
            )
          }
        />
        <div style={{ flex: 1, minWidth: 0 }}>
          <Group gap="xs">
            <Button
              variant="transparent"
              size="compact-sm"
              px={0}
              onClick={onOpen}
              c="var(--mantine-color-text)"
              fw={600}
            >
              {tool.tool_name}
            </Button>
            <Badge variant="default" size="sm" radius="sm">
              {tool.http_method}
            </Badge>
            {tool.tool_behavior === 'non_blocking' && (
              <Badge variant="default" size="sm" radius="sm" tt="none">
                non-blocking
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed" lineClamp={2}>
            {tool.description || 'No description: the model does not know when to use it'}
          </Text>
          <Text size="xs" c="dimmed" className="truncate" title={tool.endpoint_url}>
            {tool.endpoint_url}
          </Text>
        </div>
        <ConfirmAction
          title={`Delete ${tool.tool_name}?`}
          confirmLabel="Delete tool"
          onConfirm={remove}
          trigger={(ask) => (
            <Actions
              button={
                <ActionIcon aria-label={`Actions of ${tool.tool_name}`}>
                  <IconDots size={18} />
                </ActionIcon>
              }
              actions={[
                { label: lockedBecause ? 'View' : 'Edit and try', onClick: onOpen },
                { label: 'Delete', onClick: ask, minimum: 'developer', isDestructive: true },
              ]}
            />
          )}
        >
          The assistant loses this tool at once, in calls that begin from now on. Past calls keep what the
          tool did. Its headers and secret are deleted with it; this cannot be undone.
        </ConfirmAction>
      </Group>
    </Paper>
  );
}
