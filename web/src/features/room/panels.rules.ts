import { z } from '@pressel/contract/zod';
import type { Panel, SidePanel } from './panel-names.ts';

/** The parts that a room can show beside who is here. */
/** `wide`: panes side by side. `middle`: talk first, the map below, a column for one panel. `narrow`: one at a time. */
export type FrameWidth = 'wide' | 'middle' | 'narrow';

/** The panes that can be folded away on a wide screen. */
export const pane = z.enum(['people', 'map', 'side']);
export type Pane = z.infer<typeof pane>;

/** Limits of the panes' widths, px. The map gets the remaining width. The column of panels is 420 px wide at first (spec §2). */
export const PANE_PX = {
  people: { min: 280, max: 640, first: 360 },
  side: { min: 320, max: 640, first: 420 },
} as const;
export type SizedPane = keyof typeof PANE_PX;
/** Step of a border that is moved by keyboard, px. */
export const BORDER_STEP_PX = 16;

const width = (sized: SizedPane) =>
  z.number().min(PANE_PX[sized].min).max(PANE_PX[sized].max).catch(PANE_PX[sized].first);

/** The user's arrangement of the room in this browser. An invalid field gets its default. */
export const framePreference = z.object({
  people: width('people'),
  side: width('side'),
  folded: z.array(pane).max(3).catch([]),
});
export type FramePreference = z.infer<typeof framePreference>;
export const DEFAULT_FRAME: FramePreference = {
  people: PANE_PX.people.first,
  side: PANE_PX.side.first,
  folded: [],
};

export interface FrameInput {
  width: FrameWidth;
  /** Whether the user may see the map. Others get no map, and no place for one. */
  hasMap: boolean;
  /** The panel that the address names. */
  wanted: Panel | undefined;
  folded: readonly Pane[];
}

/** The place of each part. The talk button is in all of them. */
export interface Arrangement {
  /** `slim`: the talk button without the tiles. `pane`: a column of a set width; `whole`: what is left over. */
  people: 'whole' | 'pane' | 'slim' | 'hidden';
  map: 'pane' | 'below' | 'tab' | 'hidden';
  /** The panel in the column or in the shown tab. */
  side: SidePanel | undefined;
  /** The tab shown on a narrow screen. */
  tab: 'people' | Panel | undefined;
}

export function arrange({ width: frame, hasMap, wanted, folded }: FrameInput): Arrangement {
  const named = wanted === 'map' ? undefined : wanted;
  switch (frame) {
    case 'wide': {
      const map = hasMap && (wanted === 'map' || !folded.includes('map')) ? 'pane' : 'hidden';
      const side = named ?? (folded.includes('side') ? undefined : 'messages');
      return { people: peopleOf(folded, map === 'pane', side !== undefined), map, side, tab: undefined };
    }
    case 'middle':
      return { people: 'whole', map: hasMap ? 'below' : 'hidden', side: named, tab: undefined };
    case 'narrow': {
      const tab = wanted === 'map' && !hasMap ? 'people' : (wanted ?? 'people');
      return {
        people: tab === 'people' ? 'whole' : 'hidden',
        map: tab === 'map' ? 'tab' : 'hidden',
        side: tab === 'people' || tab === 'map' ? undefined : tab,
        tab,
      };
    }
    default:
      return frame satisfies never;
  }
}

/** One part takes the remaining width: the map, else who is here, else the panel. */
function peopleOf(folded: readonly Pane[], hasMap: boolean, hasSide: boolean): Arrangement['people'] {
  if (folded.includes('people') && (hasMap || hasSide)) return 'slim';
  return hasMap ? 'pane' : 'whole';
}

/** A width within the limits of its pane. */
export const withinLimits = (sized: SizedPane, px: number): number =>
  Math.round(Math.min(PANE_PX[sized].max, Math.max(PANE_PX[sized].min, px)));
