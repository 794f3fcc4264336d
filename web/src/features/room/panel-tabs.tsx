import { IconHistory, IconMap2, IconMessage, IconUsers, IconUsersGroup, type TablerIcon } from '@tabler/icons-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import type { Panel } from './panel-names.ts';
import styles from './panel-tabs.module.css';

/** The target of a tab; `people`: who is here, which needs no panel. */
export type Tab = 'people' | Panel;

const ICONS: Record<Tab, TablerIcon> = {
  people: IconUsersGroup,
  messages: IconMessage,
  talks: IconHistory,
  map: IconMap2,
  members: IconUsers,
};

export const tabId = (tab: Tab) => `room-tab-${tab}`;
export const tabPanelId = (tab: Tab) => `room-panel-${tab}`;

export interface PanelTabsProps {
  tabs: readonly Tab[];
  shown: Tab;
  onShow: (tab: Tab) => void;
  /** The mark on the messages tab: how many are unread. */
  unread: ReactNode;
  /** Places the tabs under the thumb: icons above words, over the whole width. */
  isBar?: boolean;
}

/** Tabs with arrow keys (WAI-ARIA tabs pattern): focus alone chooses nothing, because a panel costs what it loads. */
export function PanelTabs({ tabs, shown, onShow, unread, isBar = false }: PanelTabsProps) {
  const t = useVoiceWords();
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
    const at = all.indexOf(event.target as HTMLElement);
    event.preventDefault();
    all[(at + step + all.length) % all.length]?.focus();
  };
  return (
    <div
      className={styles.tabs}
      role="tablist"
      aria-label={t('panels.label')}
      data-bar={isBar || undefined}
      onKeyDown={move}
    >
      {tabs.map((tab) => {
        const Icon = ICONS[tab];
        return (
          <button
            key={tab}
            type="button"
            role="tab"
            className={styles.tab}
            id={tabId(tab)}
            aria-selected={tab === shown}
            aria-controls={tab === shown ? tabPanelId(tab) : undefined}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => onShow(tab)}
          >
            <Icon className={styles.icon} size={isBar ? 22 : 18} aria-hidden="true" />
            <span className={styles.word} title={t(`panels.${tab}`)}>
              {t(`panels.${tab}`)}
            </span>
            {tab === 'messages' && <span className={styles.mark}>{unread}</span>}
          </button>
        );
      })}
    </div>
  );
}
