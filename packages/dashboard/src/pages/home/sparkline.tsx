import styles from './home.module.css';

const WIDTH = 100;
const HEIGHT = 28;

type Props = {
  values: readonly number[];
  /** The top of the scale; by default the largest value. */
  top?: number | undefined;
};

/** The course of some days as a line; the words beside it say the same. */
export function Sparkline({ values, top }: Props) {
  const max = top ?? Math.max(...values, 0);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, i) => {
    const y = max === 0 ? HEIGHT - 1 : HEIGHT - 1 - (value / max) * (HEIGHT - 3);
    return `${(i * step).toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={styles.sparkline}
      aria-hidden="true"
    >
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} className={styles.sparkArea} />
      <polyline points={points.join(' ')} className={styles.sparkLine} />
    </svg>
  );
}
