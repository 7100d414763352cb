import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import type { Column } from './column.ts';
import type { ChosenColumns } from './use-columns.ts';

type Props<Item> = { columns: readonly Column<Item>[]; chosen: ChosenColumns<Item> };

export function ColumnChooser<Item>({ columns, chosen }: Props<Item>) {
  return (
    <Menu closeOnItemClick={false} width={220}>
      <Menu.Target>
        <Tooltip label="Choose columns">
          <ActionIcon variant="default" size={36} aria-label="Choose columns">
            <IconColumns3 size={18} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
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
