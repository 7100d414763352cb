import { useMemo } from 'react';
import { CopyButton } from '../copy-button.tsx';
import styles from './json.module.css';

type Props = {
  value: unknown;
  /** Names what is shown, for screen readers and the copy button. */
  label: string;
  maxHeight?: number;
};

/** A value as JSON, to read and copy. Text that is JSON is shown as such, other text as it is. */
export function JsonView({ value, label, maxHeight = 360 }: Props) {
  const text = useMemo(() => textOf(value), [value]);
  return (
    <div className={styles.frame}>
      <div className={styles.copy}>
        <CopyButton value={text} what={label.toLowerCase()} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.view} style={{ maxHeight }} tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </div>
  );
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? '';
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
