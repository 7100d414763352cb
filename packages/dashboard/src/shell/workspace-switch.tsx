import { Menu, UnstyledButton } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { api } from '../app/client.ts';
import { notifyError } from '../app/notify.ts';
import { adoptSession, useSession } from '../app/session.ts';
import { broadcastAccessChange } from '../live/share-event-stream.ts';
import styles from './shell.module.css';

/** The selected workspace, and the way to the person's others. */
export function WorkspaceSwitch() {
  const { workspace, workspaces } = useSession();
  const navigate = useNavigate();
  const select = async (id: string) => {
    if (id === workspace.workspace_id) return;
    try {
      adoptSession(await api.session.selectWorkspace({ workspace_id: id }));
      broadcastAccessChange();
      await navigate({ to: '/' });
    } catch (error) {
      notifyError(error, 'The workspace could not be selected');
    }
  };
  return (
    <Menu width={240} position="bottom-start">
      <Menu.Target>
        <UnstyledButton className={styles.workspace}>
          <span className="visually-hidden">Workspace</span>
          <span className={styles.initial} aria-hidden="true">
            {workspace.workspace_name.slice(0, 1).toUpperCase()}
          </span>
          <span className={styles.workspaceName}>
            <span className="truncate">{workspace.workspace_name}</span>
            <small>{workspace.role}</small>
          </span>
          <IconSelector size={16} className={styles.faint} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Workspaces</Menu.Label>
        {workspaces.map(({ workspace_id: id, workspace_name: name, role }) => (
          <Menu.Item
            key={id}
            onClick={() => void select(id)}
            rightSection={id === workspace.workspace_id ? <IconCheck size={14} /> : <small>{role}</small>}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
