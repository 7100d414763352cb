import { Badge, Button, Code, Group } from '@mantine/core';
import { api, queryClient } from '../../app/client.ts';
import { notifyDone } from '../../app/notify.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import type { Column } from '../../components/data-list/column.ts';
import { RoleGate } from '../../components/role-gate.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { Time } from '../../components/time.tsx';
import { useGoneDrafts } from '../../drafts/use-gone-drafts.ts';
import { type ApiKey, keyDraftName } from './key-form.ts';

export function keyColumns(onEdit: (key: ApiKey) => void): Column<ApiKey>[] {
  return [
    { id: 'name', header: 'Name', render: ({ name }) => <span title={name}>{name}</span> },
    {
      id: 'type',
      header: 'Type',
      width: 110,
      render: ({ type, read_only: readOnly }) => (
        <Badge variant="light" color={type === 'public' ? 'gray' : 'iris'} size="sm" tt="none">
          {type === 'public' ? 'Public' : readOnly ? 'Read only' : 'Private'}
        </Badge>
      ),
    },
    { id: 'key', header: 'Key', width: 170, render: ({ masked_key: masked }) => <Code>{masked}</Code> },
    { id: 'status', header: 'State', width: 130, render: (key) => <State apiKey={key} /> },
    {
      id: 'last_used',
      header: 'Last used',
      width: 130,
      render: ({ last_used_at: at }) => <Time at={at} as="relative" none="Never" />,
    },
    {
      id: 'expires',
      header: 'Expires',
      width: 130,
      render: ({ expires_at: at }) => <Time at={at} none="Never" />,
    },
    {
      id: 'created',
      header: 'Created',
      width: 130,
      isOptional: true,
      isWideOnly: true,
      render: ({ created_at: at, created_by: by }) => (
        <span title={by ? `by ${by}` : undefined}>
          <Time at={at} />
        </span>
      ),
    },
    {
      id: 'actions',
      header: '',
      width: 200,
      align: 'right',
      render: (key) => <Actions apiKey={key} onEdit={onEdit} />,
    },
  ];
}

function State({ apiKey }: { apiKey: ApiKey }) {
  const { is_active: isActive, expires_at: expiresAt } = apiKey;
  if (!isActive) return <StatusDot tone="off">Revoked</StatusDot>;
  if (expiresAt && new Date(expiresAt) < new Date()) return <StatusDot tone="warn">Expired</StatusDot>;
  return <StatusDot tone="good">Active</StatusDot>;
}

function Actions({ apiKey, onEdit }: { apiKey: ApiKey; onEdit: (key: ApiKey) => void }) {
  const { id, name, is_active: isActive } = apiKey;
  useGoneDrafts(keyDraftName(id), !isActive);
  if (!isActive) return null;
  const revoke = async () => {
    await api.keys.revoke(id);
    await queryClient.invalidateQueries({ queryKey: ['keys'] });
    notifyDone(`The key “${name}” is revoked`);
  };
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      <RoleGate minimum="admin">
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => onEdit(apiKey)}
          aria-label={`Settings of ${name}`}
        >
          Settings
        </Button>
      </RoleGate>
      <ConfirmAction
        title={`Revoke “${name}”?`}
        confirmLabel="Revoke the key"
        onConfirm={revoke}
        trigger={(open) => (
          <RoleGate minimum="admin">
            <Button
              size="compact-sm"
              variant="subtle"
              color="red"
              onClick={open}
              aria-label={`Revoke ${name}`}
            >
              Revoke
            </Button>
          </RoleGate>
        )}
      >
        Requests with this key are refused within a second. This cannot be undone: create another key first if
        something still uses it.
      </ConfirmAction>
    </Group>
  );
}
