import { Menu } from '@mantine/core';
import { getCalls, type MissedCall, type OwnCall } from '@pressel/contract/calls';
import {
  IconBell,
  IconPhone,
  IconPhoneIncoming,
  IconPhoneOutgoing,
  IconPhoneX,
  type TablerIcon,
} from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { formatDateTime, formatDuration, formatRecentTime } from '#src/shared/format/format.ts';
import { useShownLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useApi } from '#src/shared/services.tsx';
import { askForNotices, canAskForNotices } from '#src/shared/system-notice.ts';
import { LazySection } from '#src/shared/ui/lazy-section.tsx';
import { useIsCalling } from './call-context.tsx';
import type { CallController } from './call-controller.ts';
import { ALL_CALLS_KEY } from './calls.realtime.ts';
import styles from './missed-calls.module.css';

export interface MissedCallsListProps {
  button: ReactElement;
  controller: CallController;
  /** Number of missed calls. */
  missed: number;
  /** Undefined while the list is being read. */
  calls: readonly MissedCall[] | undefined;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** The button of missed calls and its menu of names; choosing a name calls back. */
export function MissedCallsList({ button, controller, missed, calls, isOpen, onOpen }: MissedCallsListProps) {
  const { t } = useTranslation('calls');
  return (
    <Menu
      opened={isOpen}
      onChange={onOpen}
      position="bottom-end"
      width={280}
      offset={4}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown className={styles.list}>
        <Menu.Label>{t('missed.title')}</Menu.Label>
        {missed === 0 && (
          <Menu.Item disabled className={styles.told}>
            {t('missed.none')}
          </Menu.Item>
        )}
        {calls === undefined && (
          <Menu.Item disabled className={styles.told}>
            {t('missed.loading')}
          </Menu.Item>
        )}
        {calls?.map((call) => (
          <MissedItem key={call.id} call={call} controller={controller} />
        ))}
        {/* Its words load when it is first opened. */}
        <LazySection>{isOpen && <AllCalls controller={controller} />}</LazySection>
        {canAskForNotices() && (
          <>
            <Menu.Divider />
            <Menu.Item leftSection={<IconBell size={16} aria-hidden="true" />} onClick={() => void askForNotices()}>
              {t('notices')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** All calls of the last 90 days: made, taken, declined and missed (RING18). */
function AllCalls({ controller }: { controller: CallController }) {
  const { t } = useTranslation('callParts');
  const { t: calls } = useTranslation('calls');
  const api = useApi();
  const found = useInfiniteQuery({
    queryKey: ALL_CALLS_KEY,
    queryFn: ({ pageParam, signal }) =>
      api.call(getCalls, pageParam === undefined ? {} : { before: pageParam }, { signal }),
    initialPageParam: undefined as OwnCall['id'] | undefined,
    getNextPageParam: ({ res, hasMore }) => (hasMore ? res.at(-1)?.id : undefined),
  });
  const listed = found.data?.pages.flatMap(({ res }) => res);
  const note = found.isError ? t('all.failed') : listed === undefined ? calls('missed.loading') : t('all.none');
  return (
    <>
      <Menu.Label>{t('all.title')}</Menu.Label>
      {(listed === undefined || listed.length === 0) && (
        <Menu.Item disabled className={styles.told}>
          {note}
        </Menu.Item>
      )}
      {listed?.map((call) => (
        <OwnCallItem key={call.id} call={call} controller={controller} />
      ))}
      {(found.hasNextPage || found.isError) && (
        <Menu.Item
          closeMenuOnClick={false}
          disabled={found.isFetching}
          onClick={() => void (found.isError ? found.refetch() : found.fetchNextPage())}
        >
          {t(found.isError ? 'retry' : 'all.older')}
        </Menu.Item>
      )}
    </>
  );
}

/** The outcome of a call, from its reader's point of view. */
function fateOf({ isOwn, durationMs, end }: OwnCall): 'made' | 'unanswered' | 'taken' | 'declined' | 'missed' {
  if (durationMs !== null) return isOwn ? 'made' : 'taken';
  if (isOwn) return end === null ? 'made' : 'unanswered';
  return end === 'rejected' ? 'declined' : 'missed';
}

const FATE_ICONS = {
  made: IconPhoneOutgoing,
  unanswered: IconPhoneOutgoing,
  taken: IconPhoneIncoming,
  declined: IconPhoneX,
  missed: IconPhoneX,
} as const;

function OwnCallItem({ call, controller }: { call: OwnCall; controller: CallController }) {
  const { t } = useTranslation('callParts');
  const language = useShownLanguage();
  const fate = fateOf(call);
  return (
    <CallBackItem person={call.other} controller={controller} icon={FATE_ICONS[fate]}>
      <span className={styles.time}>
        <span>{t(`all.${fate}`)}</span>
        {call.durationMs !== null && (
          <>
            {' · '}
            <span>{formatDuration(call.durationMs, language)}</span>
          </>
        )}
        {' · '}
        <CallTime at={call.createdAt} />
      </span>
    </CallBackItem>
  );
}

function MissedItem({ call: { caller, createdAt }, controller }: { call: MissedCall; controller: CallController }) {
  return (
    <CallBackItem person={caller} controller={controller} icon={IconPhone}>
      <span className={styles.time}>
        <CallTime at={createdAt} />
      </span>
    </CallBackItem>
  );
}

function CallTime({ at }: { at: string }) {
  const language = useShownLanguage();
  return (
    <time dateTime={at} title={formatDateTime(at, language)}>
      {formatRecentTime(at, language)}
    </time>
  );
}

interface CallBackItemProps {
  person: MissedCall['caller'];
  controller: CallController;
  icon: TablerIcon;
  /** The time of the call and its outcome. */
  children: ReactNode;
}

/**
 * The name of the other user of a call. Choosing it calls them, unless their account is gone or the user is in a call.
 */
function CallBackItem({ person: { id, display_name: name }, controller, icon: Icon, children }: CallBackItemProps) {
  const { t } = useTranslation('calls');
  const isCalling = useIsCalling(controller);
  return (
    <Menu.Item
      disabled={id === null || isCalling}
      leftSection={<Icon size={16} aria-hidden="true" />}
      title={id === null ? undefined : t(isCalling ? 'end.in_a_call' : 'back')}
      classNames={{ itemLabel: styles.label ?? '' }}
      onClick={() => id !== null && controller.start({ id, name })}
    >
      <span className={styles.name}>
        <bdi>{name}</bdi>
      </span>
      {children}
    </Menu.Item>
  );
}
