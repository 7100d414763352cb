import { formatCount } from '../../app/format-number.ts';
import styles from './progress-bar.module.css';

export type ProgressPart = {
  label: string;
  count: number;
  color: 'good' | 'bad' | 'live' | 'dialing' | 'retry' | 'none';
};

type Props = { total: number; parts: readonly ProgressPart[]; caption?: string; isLarge?: boolean };

/** How much of a whole is in which state. */
export function ProgressBar({ total, parts, caption, isLarge = false }: Props) {
  const words = parts
    .filter(({ count }) => count > 0)
    .map(({ label, count }) => `${formatCount(count)} ${label}`);
  return (
    <div className={styles.progress} data-large={isLarge || undefined}>
      <div
        className={styles.track}
        role="img"
        aria-label={words.join(', ') || 'Nothing yet'}
        title={words.join(', ')}
      >
        {parts.map(({ label, count, color }) => (
          <span
            key={label}
            data-color={color}
            style={{ width: `${total === 0 ? 0 : (count / total) * 100}%` }}
          />
        ))}
      </div>
      {caption === undefined ? null : <span className={styles.caption}>{caption}</span>}
    </div>
  );
}
