import { Menu } from '@mantine/core';
import { cloneElement } from 'react';
import type { Action } from './action.ts';
import { type MenuButton, useOpenAtOnce } from './late-menu.tsx';
import { RoleGate } from './role-gate.tsx';

/** The menu of `Actions`. */
export function ActionMenu({ button, actions }: { button: MenuButton; actions: readonly Action[] }) {
  const ref = useOpenAtOnce();
  return (
    <Menu>
      <Menu.Target>{cloneElement(button, { ref })}</Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, icon, onClick, minimum, isDestructive, isChosen }) => {
          const item = (
            <Menu.Item
              key={label}
              leftSection={icon}
              color={isDestructive ? 'red' : undefined}
              fw={isChosen ? 700 : undefined}
              onClick={onClick}
            >
              {label}
            </Menu.Item>
          );
          return minimum === undefined ? (
            item
          ) : (
            <RoleGate key={label} minimum={minimum}>
              {item}
            </RoleGate>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
