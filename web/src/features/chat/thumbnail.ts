/** Maximum size of a thumbnail, in pixels. */
const BOX_PX = 260;
const LEAST_PX = 44;

/** The size of a thumbnail in the list, known before it is loaded. Extreme shapes are cropped. */
export function thumbnailBox(width: number, height: number): { width: number; height: number } {
  const scale = Math.min(1, BOX_PX / width, BOX_PX / height);
  const within = (px: number) => Math.max(LEAST_PX, Math.round(px * scale));
  return { width: within(width), height: within(height) };
}
