import { Badge, Button, Group, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUserPlus } from '@tabler/icons-react';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { api, queryClient } from '../../app/client.ts';
import { notifyDone, notifyError } from '../../app/notify.ts';
import { isAtLeast, ROLES } from '../../app/roles.ts';
import { useSession } from '../../app/session.ts';
import { ConfirmAction } from '../../components/confirm-action.tsx';
import type { Column } from '../../components/data-list/column.ts';
import { DataList } from '../../components/data-list/data-list.tsx';
import { useList } from '../../components/data-list/use-list.ts';
import { lazyDialog } from '../../components/lazy-component.tsx';
import { RoleGate, useRole } from '../../components/role-gate.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { Tooltip } from '../../components/tooltip.tsx';
import { leaveWorkspace } from './leave-workspace.ts';

const route = getRouteApi('/shell/settings');

type Member = Awaited<ReturnType<typeof api.members.list>>['items'][number];

const InviteDialog = lazyDialog(() => import('./invite-dialog.tsx'), 'InviteDialog');

export function MembersPanel() {
  const [isInviting, invite] = useDisclosure();
  const { dialog } = route.useSearch();
  const navigateHere = route.useNavigate();
  useEffect(() => {
    if (dialog === undefined) return;
    invite.open();
    void navigateHere({ search: (former) => ({ ...former, dialog: undefined }), replace: true });
  }, [dialog, invite.open, navigateHere]);
  const list = useList({
    queryKey: ['members'],
    request: (offset = 0, signal) => api.members.list({ offset, limit: 50 }, { signal }),
  });
  return (
    <>
      <Section
        title="People of this workspace"
        description="Viewers see everything and change nothing. Developers work with assistants, numbers, calls and campaigns. Admins also manage keys and members, owners also limits and retention."
        actions={
          <RoleGate minimum="admin">
            <Button leftSection={<IconUserPlus size={16} />} onClick={invite.open}>
              Invite
            </Button>
          </RoleGate>
        }
        flush
      >
        <DataList
          label="Members"
          list={list}
          columns={COLUMNS}
          itemKey={({ id }) => id}
          fixedColumns
          plain
          empty={null}
        />
      </Section>
      {isInviting ? <InviteDialog onClose={invite.close} /> : null}
    </>
  );
}

const COLUMNS: Column<Member>[] = [
  {
    id: 'email',
    header: 'Person',
    render: (member) => <Person member={member} />,
  },
  { id: 'role', header: 'Role', width: 150, render: (member) => <RoleOf member={member} /> },
  {
    id: 'since',
    header: 'Since',
    width: 150,
    render: ({ created_at: at }) => <Time at={at} />,
  },
  {
    id: 'actions',
    header: '',
    width: 120,
    align: 'right',
    render: (member) => <EndButton member={member} />,
  },
];

function Person({ member }: { member: Member }) {
  const { person } = useSession();
  return (
    <Group gap={8} wrap="nowrap">
      <span className="truncate">{member.email}</span>
      {member.email === person.email ? (
        <Badge size="sm" variant="light" tt="none">
          You
        </Badge>
      ) : null}
      {member.status === 'invited' ? <InvitedBadge expiresAt={member.invitation_expires_at} /> : null}
    </Group>
  );
}

function InvitedBadge({ expiresAt }: { expiresAt: string | null }) {
  const isOver = expiresAt !== null && new Date(expiresAt) < new Date();
  const badge = (
    <Badge size="sm" variant="light" color={isOver ? 'red' : 'yellow'} tt="none" style={{ flex: 'none' }}>
      {isOver ? 'Invitation expired' : 'Invited'}
    </Badge>
  );
  return isOver ? <Tooltip label="Invite the same address again for a new link">{badge}</Tooltip> : badge;
}

function RoleOf({ member }: { member: Member }) {
  const { workspace, person } = useSession();
  const { isAllowed } = useRole('admin');
  const isChangeable = isAllowed && member.email !== person.email && isAtLeast(workspace.role, member.role);
  const change = async (role: string | null) => {
    const wanted = ROLES.find((known) => known === role);
    if (!wanted || wanted === member.role) return;
    try {
      await api.members.change(member.id, { role: wanted });
      await queryClient.invalidateQueries({ queryKey: ['members'] });
      notifyDone(`${member.email} is ${wanted} now`);
    } catch (error) {
      notifyError(error, 'The role was not changed');
    }
  };
  if (!isChangeable) return <span>{member.role}</span>;
  return (
    <Select
      aria-label={`Role of ${member.email}`}
      size="xs"
      data={ROLES.filter((role) => isAtLeast(workspace.role, role))}
      value={member.role}
      onChange={(role) => void change(role)}
      allowDeselect={false}
      w={130}
    />
  );
}

function EndButton({ member }: { member: Member }) {
  const { workspace, person } = useSession();
  if (member.email === person.email) return <LeaveButton />;
  return isAtLeast(workspace.role, member.role) ? <RemoveButton member={member} /> : null;
}

function LeaveButton() {
  const { workspace, person } = useSession();
  const navigate = useNavigate();
  return (
    <ConfirmAction
      title={`Leave ${workspace.workspace_name}?`}
      confirmLabel="Leave the workspace"
      onConfirm={() => leaveWorkspace({ workspace, person }, navigate)}
      trigger={(open) => (
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          onClick={open}
          aria-label={`Leave ${workspace.workspace_name}`}
        >
          Leave
        </Button>
      )}
    >
      {`You lose access within a second; to come back, you have to be invited again. Keys that you made stay valid, and what you typed here and did not save is removed from this browser.`}
      {person.is_address_proved
        ? ''
        : ' Your account is deleted too, since its address is not verified and it has no other workspace.'}
      {workspace.role === 'owner' ? ' The last owner cannot leave: make another member an owner before.' : ''}
    </ConfirmAction>
  );
}

function RemoveButton({ member }: { member: Member }) {
  const isInvited = member.status === 'invited';
  const remove = async () => {
    await api.members.remove(member.id);
    await queryClient.invalidateQueries({ queryKey: ['members'] });
    notifyDone(isInvited ? 'The invitation is revoked' : `${member.email} is no longer a member`);
  };
  return (
    <ConfirmAction
      title={isInvited ? 'Revoke the invitation?' : 'Remove this member?'}
      confirmLabel={isInvited ? 'Revoke' : 'Remove'}
      onConfirm={remove}
      trigger={(open) => (
        <RoleGate minimum="admin">
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            onClick={open}
            aria-label={`${isInvited ? 'Revoke the invitation of' : 'Remove'} ${member.email}`}
          >
            {isInvited ? 'Revoke' : 'Remove'}
          </Button>
        </RoleGate>
      )}
    >
      {isInvited ? (
        <>
          The link that <b>{member.email}</b> got stops working.
        </>
      ) : (
        <>
          <b>{member.email}</b> loses access to this workspace within a second. Keys that they made stay
          valid.
        </>
      )}
    </ConfirmAction>
  );
}
