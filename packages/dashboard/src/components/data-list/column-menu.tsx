import { Menu } from '@mantine/core';
import { cloneElement } from 'react';
import { type MenuButton, useOpenAtOnce } from '../late-menu.tsx';
import type { Column } from './column.ts';
import type { ChosenColumns } from './use-columns.ts';

type Props<Item> = { button: MenuButton; columns: readonly Column<Item>[]; chosen: ChosenColumns<Item> };

export function ColumnMenu<Item>({ button, columns, chosen }: Props<Item>) {
  const ref = useOpenAtOnce();
  return (
    <Menu closeOnItemClick={false} width={220}>
      <Menu.Target>{cloneElement(button, { ref })}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Columns</Menu.Label>
        {columns.slice(1).map(({ id, header }) => (
          <Menu.CheckboxItem key={id} checked={chosen.isShown(id)} onChange={() => chosen.toggle(id)}>
            {header}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={chosen.reset}>Reset</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
