import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import styles from './changed-note.module.css';

type Props = {
  /** "Changed – show the newest". */
  label: string;
  /** Below the titles of a table. */
  isBelowTitles?: boolean;
  onShow: () => void;
};

/** Says that what is below has changed, and shows it on request: nothing on a page moves by itself [dashboard.9] [dashboard.76]. */
export function ChangedNote({ label, isBelowTitles = false, onShow }: Props) {
  return (
    <div className={styles.note} data-below-titles={isBelowTitles || undefined} role="status">
      <Button
        size="compact-sm"
        radius="xl"
        leftSection={<IconArrowUp size={14} aria-hidden />}
        onClick={onShow}
      >
        {label}
      </Button>
    </div>
  );
}
