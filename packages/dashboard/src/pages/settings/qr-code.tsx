import { encodeQR } from 'qr';

/** What the standard wants around it, in modules. */
const QUIET_ZONE = 4;
const PIXELS = 220;

/** Dark on white in both schemes: not every app reads the opposite. Loaded when it is shown. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: QUIET_ZONE });
  const dark = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  return (
    <svg
      role="img"
      aria-label={label}
      width={PIXELS}
      height={PIXELS}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      style={{ background: '#fff', maxWidth: '100%' }}
    >
      <path fill="#000" d={dark.join('')} />
    </svg>
  );
}
