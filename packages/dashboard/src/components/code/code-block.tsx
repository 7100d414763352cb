import { CopyButton } from '../copy-button.tsx';
import styles from './code-block.module.css';

type Props = {
  code: string;
  label: string;
  /** It has the focus when its dialog opens. */
  hasFocus?: boolean;
};

/** A piece of code to read and copy. */
export function CodeBlock({ code, label, hasFocus = false }: Props) {
  return (
    <div className={styles.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.code} tabIndex={0} aria-label={label} data-autofocus={hasFocus || undefined}>
        <pre>{code}</pre>
      </section>
      <div className={styles.copy}>
        <CopyButton value={code} what={label} />
      </div>
    </div>
  );
}
