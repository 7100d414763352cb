import { Anchor, Button, Group } from '@mantine/core';
import { IconExternalLink, IconKey, IconPlus } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { api } from '../../app/client.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { Page } from '../../components/page.tsx';
import { RoleGate } from '../../components/role-gate.tsx';
import { keyColumns } from './key-columns.tsx';
import type { ApiKey } from './key-form.ts';
import { RequestExamples } from './request-examples.tsx';

const CreateKeyDialog = lazyDialog(() => import('./create-key-dialog.tsx'), 'CreateKeyDialog');
const EditKeyDialog = lazyDialog(() => import('./edit-key-dialog.tsx'), 'EditKeyDialog');

const route = getRouteApi('/shell/developers');

export function DevelopersPage() {
  const list = useList({
    queryKey: ['keys'],
    request: (offset = 0, signal) => api.keys.list({ offset, limit: 50 }, { signal }),
  });
  const [isCreating, setCreating] = useState(false);
  const { dialog } = route.useSearch();
  const navigate = route.useNavigate();
  useEffect(() => {
    if (dialog === undefined) return;
    setCreating(true);
    void navigate({ search: {}, replace: true });
  }, [dialog, navigate]);
  const [opened, setOpened] = useState<ApiKey>();
  const columns = useMemo(() => keyColumns(setOpened), []);
  const create = (
    <RoleGate minimum="admin">
      <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
        Create a key
      </Button>
    </RoleGate>
  );
  return (
    <Page
      title="Developers"
      description="Keys for your software. A private key has the rights of an owner: keep it on your servers. A public key only starts web calls, from the pages that you allow."
      actions={
        <Group gap="xs">
          <Anchor href="/docs" target="_blank" rel="noopener" size="sm" mr="xs">
            API reference <IconExternalLink size={14} style={{ verticalAlign: '-2px' }} />
          </Anchor>
          {create}
        </Group>
      }
    >
      <DataList
        label="Keys"
        list={list}
        columns={columns}
        itemKey={({ id }) => id}
        fixedColumns
        empty={
          <EmptyState icon={<IconKey size={22} />} title="No API key yet" actions={create}>
            With a key your software places calls, starts campaigns and reads their results. It is shown once,
            when it is made.
          </EmptyState>
        }
      />
      {/* The keys decide where they are. */}
      {list.isLoading ? null : <RequestExamples />}
      {isCreating ? <CreateKeyDialog onClose={() => setCreating(false)} /> : null}
      {opened ? <EditKeyDialog opened={opened} onClose={() => setOpened(undefined)} /> : null}
    </Page>
  );
}
