import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconCheck, IconColumns3 } from '@tabler/icons-react';
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
          <Menu.Item
            key={id}
            role="menuitemcheckbox"
            aria-checked={chosen.isShown(id)}
            onClick={() => chosen.toggle(id)}
            leftSection={<IconCheck size={14} style={{ opacity: chosen.isShown(id) ? 1 : 0 }} />}
          >
            {header}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={chosen.reset}>Reset</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
