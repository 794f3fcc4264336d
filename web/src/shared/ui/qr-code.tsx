import { encodeQR } from 'qr';
import { useMemo } from 'react';
import styles from './qr-code.module.css';

/** The border that readers expect around a code, in modules (ISO/IEC 18004 §6.3.8). */
const QUIET_ZONE = 4;

/**
 * A QR code of `text`, such as an address. It fills the width it is given, dark on light in both themes and on paper,
 * because many readers don't recognise an inverted code. `label` tells a screen reader what the code leads to.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => drawCode(text), [text]);
  return (
    <svg
      className={styles.code}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** The dark modules as a path, one rectangle for each unbroken run in a row. */
function drawCode(text: string): { size: number; path: string } {
  const rows = encodeQR(text, 'raw', { border: QUIET_ZONE });
  const runs = rows.flatMap((row, y) => {
    const starts = row.flatMap((isDark, x) => (isDark && row[x - 1] !== true ? [x] : []));
    return starts.map((x) => {
      const length = row.indexOf(false, x) - x;
      return `M${x} ${y}h${length}v1h-${length}z`;
    });
  });
  return { size: rows.length, path: runs.join('') };
}
