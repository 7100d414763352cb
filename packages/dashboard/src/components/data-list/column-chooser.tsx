import { ActionIcon } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { LateMenu, type MenuButton } from '../late-menu.tsx';
import { lazyComponent } from '../lazy-component.tsx';
import type { Column } from './column.ts';
import type { ChosenColumns } from './use-columns.ts';

type Props<Item> = { columns: readonly Column<Item>[]; chosen: ChosenColumns<Item> };

const load = () => import('./column-menu.tsx');
const ColumnMenu = lazyComponent(load, 'ColumnMenu');

export function ColumnChooser<Item>(props: Props<Item>) {
  // `lazy` loses the type parameter.
  const Loaded = ColumnMenu as ComponentType<Props<Item> & { button: MenuButton }>;
  const button = (
    <ActionIcon variant="default" size={36} aria-label="Choose columns" title="Choose columns">
      <IconColumns3 size={18} />
    </ActionIcon>
  );
  return (
    <LateMenu button={button} popup="menu" load={load}>
      <Loaded {...props} button={button} />
    </LateMenu>
  );
}
