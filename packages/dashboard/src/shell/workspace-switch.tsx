import { UnstyledButton } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { useSession } from '../app/session.ts';
import { LateMenu } from '../components/late-menu.tsx';
import { lazyComponent } from '../components/lazy-component.tsx';
import styles from './shell.module.css';

const load = () => import('./workspace-menu.tsx');
const WorkspaceMenu = lazyComponent(load, 'WorkspaceMenu');

/** The selected workspace, and the way to the person's others. */
export function WorkspaceSwitch() {
  const { workspace } = useSession();
  const button = (
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
  );
  return (
    <LateMenu button={button} popup="menu" load={load}>
      <WorkspaceMenu button={button} />
    </LateMenu>
  );
}
