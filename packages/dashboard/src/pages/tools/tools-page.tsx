import { Badge, Button, Text } from '@mantine/core';
import { IconPlus, IconTool } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { api } from '../../app/client.ts';
import type { Column } from '../../components/data-list/column.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar, isFiltered } from '../../components/filter-bar/filter-bar.tsx';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { TextLink } from '../../components/text-link.tsx';
import { Time } from '../../components/time.tsx';
import type { Tool } from '../assistants/queries.ts';

const AgentChoice = lazyDialog(() => import('./agent-choice.tsx'), 'AgentChoice');
const ToolDrawer = lazyDialog(() => import('./tool-drawer.tsx'), 'ToolDrawer');

type Row = Awaited<ReturnType<typeof api.tools.listAll>>['items'][number];
const route = getRouteApi('/shell/tools');
const PAGE_SIZE = 100;

/** The tools of all assistants in one list. */
export function ToolsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [opened, setOpened] = useState<{ agentId: string; tool: Tool | 'new' } | null>(null);
  const list = useList({
    queryKey: ['tools', 'all', search],
    request: (offset = 0, signal) =>
      api.tools.listAll(
        {
          limit: PAGE_SIZE,
          offset,
          ...(search.search ? { search: search.search } : {}),
          ...(search.kind ? { kind: search.kind } : {}),
        },
        { signal },
      ),
  });
  const columns = useColumns((tool) => setOpened({ agentId: tool.agent_id, tool }));
  return (
    <Page
      title="Tools"
      description="What your assistants can do besides talking. A tool belongs to one assistant, which uses it while it is switched on there."
      actions={<NewTool onChoose={(agentId) => setOpened({ agentId, tool: 'new' })} />}
    >
      <DataList
        label="Tools"
        list={list}
        columns={columns}
        itemKey={({ id }) => id}
        isFiltered={isFiltered(FILTERS, search)}
        toolbar={
          <FilterBar
            filters={FILTERS}
            values={search}
            onChange={(changes) =>
              void navigate({ search: (former) => ({ ...former, ...changes }), replace: true })
            }
          />
        }
        empty={
          <EmptyState icon={<IconTool size={22} />} title="No tools yet">
            A custom tool is an HTTP endpoint of yours: the assistant calls it during a conversation and goes
            on with the answer. Create an assistant first, then add a tool to it.
          </EmptyState>
        }
        noMatch={
          <EmptyState title="No tool matches">
            <TextLink to="/tools">Show all tools</TextLink>
          </EmptyState>
        }
      />
      {opened ? <ToolDrawer {...opened} onClose={() => setOpened(null)} /> : null}
    </Page>
  );
}

const FILTERS = [
  { kind: 'text', name: 'search', label: 'Search tools' },
  {
    kind: 'one',
    name: 'kind',
    label: 'Kind',
    options: [
      { value: 'custom', label: 'Custom' },
      { value: 'native', label: 'Built in' },
    ],
  },
] as const;

function useColumns(open: (tool: Tool) => void): Column<Row>[] {
  return useMemo(
    () => [
      {
        id: 'name',
        header: 'Tool',
        render: (tool) =>
          tool.is_native === true ? (
            <Text span size="sm" fw={500}>
              {tool.tool_name}
            </Text>
          ) : (
            <Button
              variant="transparent"
              size="compact-sm"
              px={0}
              c="var(--mantine-color-text)"
              onClick={() => open(tool)}
            >
              {tool.tool_name}
            </Button>
          ),
      },
      {
        id: 'kind',
        header: 'Kind',
        width: 110,
        render: (tool) => (
          <Badge variant="default" radius="sm" tt="none">
            {tool.is_native === true ? 'built in' : `${tool.http_method}`}
          </Badge>
        ),
      },
      {
        id: 'assistant',
        header: 'Assistant',
        render: (tool) => (
          <TextLink to="/assistants/$id" params={{ id: tool.agent_id }} search={{ tab: 'tools' }} size="sm">
            {tool.agent_name}
          </TextLink>
        ),
      },
      {
        id: 'endpoint',
        header: 'Endpoint',
        render: (tool) =>
          tool.is_native === true ? '–' : <span title={tool.endpoint_url}>{tool.endpoint_url}</span>,
      },
      {
        id: 'description',
        header: 'Description',
        isOptional: true,
        render: (tool) => tool.description ?? '–',
      },
      {
        id: 'updated',
        header: 'Changed',
        width: 150,
        render: (tool) => <Time at={tool.updated_at} as="relative" />,
      },
    ],
    [open],
  );
}

function NewTool({ onChoose }: { onChoose(agentId: string): void }) {
  const [isChoosing, setChoosing] = useState(false);
  if (!isChoosing)
    return (
      <RoleGate minimum="developer">
        <Button leftSection={<IconPlus size={16} />} onClick={() => setChoosing(true)}>
          New tool
        </Button>
      </RoleGate>
    );
  return (
    <AgentChoice
      onClose={() => setChoosing(false)}
      onChoose={(id) => {
        setChoosing(false);
        onChoose(id);
      }}
    />
  );
}
