import { ActionIcon, Button, Loader } from '@mantine/core';
import { IconAlertTriangle, IconArrowUp, IconLayoutSidebarRightCollapse, IconMap2, IconX } from '@tabler/icons-react';
import { type CSSProperties, type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import { ErrorBoundary } from '#src/shared/ui/error-boundary.tsx';
import { PaneBorder } from './pane-border.tsx';
import type { Panel, SidePanel as SidePanelName } from './panel-names.ts';
import { PanelTabs, type Tab, tabId, tabPanelId } from './panel-tabs.tsx';
import type { Arrangement, FramePreference, FrameWidth, SizedPane } from './panels.rules.ts';
import styles from './room-frame.module.css';
import { bindSwipe } from './swipe.ts';

declare module 'react' {
  interface CSSProperties {
    '--people-px'?: string;
    '--side-px'?: string;
  }
}

/** The parts that the room shows beside the talk button. `map` is undefined for users who may not see it. */
export interface RoomPanels {
  map: ReactNode | undefined;
  messages: ReactNode;
  /** The last talks. */
  talks: ReactNode;
  members: ReactNode;
  /** The number of members who are in the room. */
  membersCount: ReactNode;
  /** The mark of unread messages. */
  unread: ReactNode;
}

export interface RoomFrameProps {
  width: FrameWidth;
  arrangement: Arrangement;
  frame: FramePreference;
  panels: RoomPanels;
  /** The tiles of the participants. */
  people: ReactNode;
  /** The line that names talkers and the queue while the tiles are out of view; empty while the room has no connection. */
  strip: ReactNode;
  /** The talk button. */
  dock: ReactNode;
  /** Increases whenever the user asks to see somebody on the map. */
  mapCalls: number;
  /** Whether the page's address asks for the map. */
  isMapWanted: boolean;
  onWidth: (pane: SizedPane, px: number) => void;
  /** Called when the user selects another panel; undefined selects no panel, which shows the participants. */
  onWant: (panel: Panel | undefined) => void;
  onFoldSide: () => void;
}

/** Lays out the parts of the room. `panels.rules.ts` decides which parts are shown, and the style sheet where. */
export function RoomFrame(props: RoomFrameProps) {
  const { width, arrangement, frame, panels, people, dock, onWidth, onWant } = props;
  const t = useVoiceWords();
  const { map, side, tab } = arrangement;
  const tabs = tabsFor(panels.map !== undefined);
  const show = (next: Tab) => onWant(next === 'people' ? undefined : next);
  const body = useRef<HTMLDivElement>(null);
  const swipe = useEffectEvent((step: -1 | 1) => {
    const next = tab === undefined ? undefined : tabs[tabs.indexOf(tab) + step];
    if (next !== undefined) show(next);
  });
  const hasTabs = tab !== undefined;
  // Bound once: a room rerenders whenever somebody talks, and that must not interrupt a swipe.
  useEffect(() => (hasTabs && body.current !== null ? bindSwipe(body.current, swipe) : undefined), [hasTabs]);
  const isWide = width === 'wide';
  const measures: CSSProperties = { '--people-px': `${frame.people}px`, '--side-px': `${frame.side}px` };
  const mapPane = map !== 'hidden' && (
    <section className={styles.map} id={tabPanelId('map')} aria-label={t('panels.map')}>
      {map === 'below' && props.strip}
      <div className={styles.panel}>
        <RoomPanel>{panels.map}</RoomPanel>
      </div>
    </section>
  );
  return (
    <div
      className={styles.body}
      data-width={width}
      data-people={arrangement.people}
      data-map={map}
      data-side={side}
      data-tab={tab}
      style={measures}
      ref={body}
    >
      {map === 'below' ? (
        <PeopleOverMap
          people={people}
          map={mapPane}
          calls={props.mapCalls}
          isWanted={props.isMapWanted}
          onBack={() => onWant(undefined)}
        />
      ) : (
        <>
          {(arrangement.people === 'whole' || arrangement.people === 'pane') && (
            <div className={styles.people} id={tabPanelId('people')}>
              {people}
            </div>
          )}
          {mapPane}
        </>
      )}
      {isWide && arrangement.people === 'pane' && (
        <PaneBorder
          pane="people"
          label={t('panels.peopleBorder')}
          value={frame.people}
          onChange={(px) => onWidth('people', px)}
        />
      )}
      {side !== undefined && <SidePanel {...props} side={side} />}
      {isWide && side !== undefined && !(arrangement.people === 'slim' && map === 'hidden') && (
        <PaneBorder
          pane="side"
          label={t('panels.sideBorder')}
          value={frame.side}
          onChange={(px) => onWidth('side', px)}
        />
      )}
      {tab !== undefined && (
        <div className={styles.tabs}>
          <PanelTabs isBar tabs={tabs} shown={tab} unread={panels.unread} onShow={show} />
        </div>
      )}
      <div className={styles.dock}>{dock}</div>
    </div>
  );
}

const tabsFor = (hasMap: boolean): readonly Tab[] =>
  hasMap ? ['people', 'messages', 'talks', 'map', 'members'] : ['people', 'messages', 'talks', 'members'];

/**
 * The panel in the last column, or in the tab on narrow screens. It isn't a dialog, so a talk goes on while it is used. It
 * stays the same element at every width: an unsent image and its words survive when the user turns a tablet [ROOM7].
 */
function SidePanel(props: RoomFrameProps & { side: SidePanelName }) {
  const { width, panels, side, onWant, onFoldSide } = props;
  const t = useVoiceWords();
  const isTab = width === 'narrow';
  const close = t('panels.close');
  return (
    <aside className={styles.side} aria-label={t('panels.label')}>
      {!isTab && (
        <div className={styles.sideHead}>
          <PanelTabs
            tabs={['messages', 'talks', 'members']}
            shown={side}
            unread={panels.unread}
            onShow={(tab) => onWant(wantOf(tab))}
          />
          {side === 'members' && <span className={styles.count}>{panels.membersCount}</span>}
          <ButtonTooltip label={close}>
            <ActionIcon variant="subtle" size="lg" aria-label={close} onClick={onFoldSide}>
              {width === 'wide' ? (
                <IconLayoutSidebarRightCollapse size={18} aria-hidden="true" />
              ) : (
                <IconX size={18} aria-hidden="true" />
              )}
            </ActionIcon>
          </ButtonTooltip>
        </div>
      )}
      <div className={styles.panel} role="tabpanel" id={tabPanelId(side)} aria-labelledby={tabId(side)}>
        <RoomPanel key={side}>{panels[side]}</RoomPanel>
      </div>
    </aside>
  );
}

const wantOf = (tab: Tab): Panel | undefined => (tab === 'people' ? undefined : tab);

interface PeopleOverMapProps {
  people: ReactNode;
  map: ReactNode;
  calls: number;
  isWanted: boolean;
  onBack: () => void;
}

/** Shows the participants, the map below them, and a button that scrolls between the two (spec §2). */
function PeopleOverMap({ people, map, calls, isWanted, onBack }: PeopleOverMapProps) {
  const t = useVoiceWords();
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtMap, setAtMap] = useState(false);
  // The map is loaded when the user first goes there.
  const [isMapSeen, setMapSeen] = useState(false);
  const go = (toMap: boolean) => {
    const place = scroller.current;
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    place?.scrollTo({ top: toMap ? place.scrollHeight : 0, behavior: isStill ? 'auto' : 'smooth' });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when `calls` grows, not when `go` is a new function
  useEffect(() => {
    if (calls > 0 || isWanted) go(true);
  }, [calls, isWanted]);
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      data-scroller=""
      onScroll={({ currentTarget: { scrollTop, clientHeight } }) => {
        setAtMap(scrollTop > clientHeight / 2);
        if (scrollTop > 0) setMapSeen(true);
      }}
    >
      <div className={styles.people}>{people}</div>
      {isMapSeen ? map : <div className={styles.map} />}
      <div className={styles.toMap}>
        <Button
          variant="default"
          leftSection={
            isAtMap ? <IconArrowUp size={18} aria-hidden="true" /> : <IconMap2 size={18} aria-hidden="true" />
          }
          onClick={() => {
            go(!isAtMap);
            if (isAtMap && isWanted) onBack();
          }}
        >
          {t(isAtMap ? 'panels.toTop' : 'panels.toMap')}
        </Button>
      </div>
    </div>
  );
}

/** The content of a panel. Its errors and loading states show in its place, so the voice goes on. */
export function RoomPanel({ children }: { children: ReactNode }) {
  return (
    <ErrorBoundary failed={(_error, onRetry) => <PanelFailed onRetry={onRetry} />}>
      <Suspense fallback={<PanelLoading />}>{children}</Suspense>
    </ErrorBoundary>
  );
}

function PanelFailed({ onRetry }: { onRetry: () => void }) {
  const t = useVoiceWords();
  return (
    <div className={styles.failed} role="alert">
      <IconAlertTriangle size={24} aria-hidden="true" />
      <p>{t('panels.failed')}</p>
      <Button variant="default" onClick={onRetry}>
        {t('panels.retry')}
      </Button>
    </div>
  );
}

function PanelLoading() {
  const t = useVoiceWords();
  return (
    <div className={styles.loading} role="status" aria-label={t('panels.loading')}>
      <Loader size="sm" />
    </div>
  );
}
