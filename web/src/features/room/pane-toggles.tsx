import { ActionIcon, VisuallyHidden } from '@mantine/core';
import {
  IconHistory,
  IconLayoutSidebarRight,
  IconMap2,
  IconMessage,
  IconUsers,
  IconUsersGroup,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useVoiceWords } from '#src/features/voice/talk-words.ts';
import { ButtonTooltip } from '#src/shared/ui/button-tooltip.tsx';
import type { Panel } from './panel-names.ts';
import type { Arrangement, FrameWidth, Pane } from './panels.rules.ts';
import styles from './room-header.module.css';

export interface PaneTogglesProps {
  width: FrameWidth;
  arrangement: Arrangement;
  hasMap: boolean;
  unread: ReactNode;
  onFold: (pane: Pane, isFolded: boolean) => void;
  onWant: (panel: Panel | undefined) => void;
}

/** The buttons in the header that show and fold the room's panes. A narrow screen has tabs instead. */
export function PaneToggles({ width, arrangement, hasMap, unread, onFold, onWant }: PaneTogglesProps) {
  const t = useVoiceWords();
  const { people, map, side } = arrangement;
  switch (width) {
    case 'wide':
      return (
        <>
          <Toggle
            icon={IconUsersGroup}
            isShown={people !== 'slim'}
            label={t('panels.people')}
            onClick={() => onFold('people', people !== 'slim')}
          />
          {hasMap && (
            <Toggle
              icon={IconMap2}
              isShown={map === 'pane'}
              label={t('panels.map')}
              onClick={() => onFold('map', map === 'pane')}
            />
          )}
          <Toggle
            icon={IconLayoutSidebarRight}
            isShown={side !== undefined}
            label={t('panels.side')}
            mark={side === undefined && unread}
            onClick={() => onFold('side', side !== undefined)}
          />
        </>
      );
    case 'middle':
      return (
        <>
          <Toggle
            icon={IconMessage}
            isShown={side === 'messages'}
            label={t('panels.messages')}
            mark={side !== 'messages' && unread}
            onClick={() => onWant(side === 'messages' ? undefined : 'messages')}
          />
          <Toggle
            icon={IconHistory}
            isShown={side === 'talks'}
            label={t('panels.talks')}
            onClick={() => onWant(side === 'talks' ? undefined : 'talks')}
          />
          <Toggle
            icon={IconUsers}
            isShown={side === 'members'}
            label={t('panels.members')}
            onClick={() => onWant(side === 'members' ? undefined : 'members')}
          />
        </>
      );
    case 'narrow':
      return null;
    default:
      return width satisfies never;
  }
}

interface ToggleProps {
  icon: TablerIcon;
  isShown: boolean;
  label: string;
  mark?: ReactNode;
  onClick: () => void;
}

function Toggle({ icon: Icon, isShown, label, mark, onClick }: ToggleProps) {
  return (
    <ButtonTooltip label={label}>
      <ActionIcon
        variant={isShown ? 'light' : 'default'}
        size="lg"
        aria-pressed={isShown}
        className={styles.toggle}
        onClick={onClick}
      >
        <Icon size={20} aria-hidden="true" />
        <VisuallyHidden>{label}</VisuallyHidden>
        {mark && <span className={styles.mark}>{mark}</span>}
      </ActionIcon>
    </ButtonTooltip>
  );
}
