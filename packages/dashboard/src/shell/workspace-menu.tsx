import { Menu } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { cloneElement } from 'react';
import { api } from '../app/client.ts';
import { notifyError } from '../app/notify.ts';
import { adoptSession, useSession } from '../app/session.ts';
import { type MenuButton, useOpenAtOnce } from '../components/late-menu.tsx';
import { broadcastAccessChange } from '../live/share-event-stream.ts';

export function WorkspaceMenu({ button }: { button: MenuButton }) {
  const { workspace, workspaces } = useSession();
  const navigate = useNavigate();
  const ref = useOpenAtOnce();
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
      <Menu.Target>{cloneElement(button, { ref })}</Menu.Target>
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
