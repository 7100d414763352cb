import type { Action } from './action.ts';
import { LateMenu, type MenuButton } from './late-menu.tsx';
import { lazyComponent } from './lazy-component.tsx';

const load = () => import('./action-menu.tsx');
const ActionMenu = lazyComponent(load, 'ActionMenu');

/** A button with a menu of what can be done. */
export function Actions({ button, actions }: { button: MenuButton; actions: readonly Action[] }) {
  return (
    <LateMenu button={button} popup="menu" load={load}>
      <ActionMenu button={button} actions={actions} />
    </LateMenu>
  );
}
