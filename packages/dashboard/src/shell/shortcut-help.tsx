import { Kbd } from '@mantine/core';
import { Modal } from '../components/dialog.tsx';
import { MODIFIER } from './modifier.ts';
import { NAV_ITEMS } from './nav.ts';
import styles from './shell.module.css';

const GENERAL: readonly [string[], string][] = [
  [['/'], 'Search in the list'],
  [[MODIFIER, 'K'], 'Find or do anything'],
  [['J', 'K'], 'Next and previous call of the list'],
  [['?'], 'Show this help'],
  [[MODIFIER, 'Z'], 'Undo, while the message that offers it is shown'],
  [['Esc'], 'Close a dialog'],
];

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const places = NAV_ITEMS.map(({ key, label }): [string[], string] => [['g', key], `Go to ${label}`]);
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="md">
      <dl className={styles.shortcuts}>
        {[...GENERAL, ...places].map(([keys, what]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <Kbd key={key} size="sm">
                  {key}
                </Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
