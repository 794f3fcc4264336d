/** Layouts of the participant tiles (spec §2), by the number of participants including self. */
export type GridLayout = 'one' | 'few' | 'six' | 'eight' | 'thirteen' | 'crowd';

/** Up to 13 tiles fill the space, in layouts for 1, 2–4, 5–6, 7–8 and 9–13; more scroll in a dense grid. */
export function gridLayout(count: number): GridLayout {
  if (count <= 1) return 'one';
  if (count <= 4) return 'few';
  if (count <= 6) return 'six';
  if (count <= 8) return 'eight';
  if (count <= 13) return 'thirteen';
  return 'crowd';
}
