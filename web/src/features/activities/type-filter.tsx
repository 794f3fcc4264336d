import { Checkbox } from '@mantine/core';
import { type LoggedType, loggedType } from '@pressel/contract/activity-types';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './activity-filters.module.css';
import { FilterButton } from './filter-button.tsx';

/** Types of entries, grouped as users look for them. Each is in one group. */
export const TYPE_GROUPS = {
  sessions: ['login', 'logout', 'connexion_lost', 'sign_in_failure', 'session_end'],
  channels: [
    'channel_join',
    'channel_leave',
    'channel_talk',
    'channel_creation',
    'channel_update',
    'channel_delete',
    'membership_add',
    'membership_remove',
  ],
  messages: ['message_send', 'image_send', 'message_read', 'message_delete'],
  positions: ['position_update', 'position_get'],
  accounts: ['user_creation', 'user_update', 'user_delete', 'password_change', 'role_change', 'map_right_change'],
  guests: ['guest_link_creation', 'guest_link_withdrawal', 'guest_join'],
  calls: ['call', 'call_missed'],
  transfers: ['user_import', 'channel_import', 'user_export', 'channel_export', 'activity_export', 'activity_delete'],
} as const satisfies Record<string, readonly LoggedType[]>;
type TypeGroup = keyof typeof TYPE_GROUPS;

export interface TypeFilterProps {
  types: readonly LoggedType[] | undefined;
  onTypes: (types: LoggedType[] | undefined) => void;
}

const GROUPS = Object.keys(TYPE_GROUPS) as TypeGroup[];

/** Filters types of entries, singly or a group at once. */
export function TypeFilter({ types, onTypes }: TypeFilterProps) {
  const { t } = useTranslation('activityLog');
  const { t: words } = useTranslation('activities');
  const picked = new Set<LoggedType>(types);
  const pick = (changed: readonly LoggedType[], isPicked: boolean) => {
    const next = loggedType.options.filter((type) => (changed.includes(type) ? isPicked : picked.has(type)));
    onTypes(next.length === 0 ? undefined : next);
  };
  const [only] = types?.length === 1 ? types : [];
  const value = only === undefined ? types && t('filter.typesOn', { count: types.length }) : words(`short.${only}`);
  return (
    <FilterButton name={t('filter.types')} value={value} onOff={() => onTypes(undefined)}>
      {() => (
        <div className={styles.types}>
          {GROUPS.map((group) => {
            const ofGroup: readonly LoggedType[] = TYPE_GROUPS[group];
            const count = ofGroup.filter((type) => picked.has(type)).length;
            return (
              <fieldset key={group} className={styles.group}>
                <legend>
                  <Checkbox
                    label={t(`group.${group}`)}
                    checked={count === ofGroup.length}
                    indeterminate={count > 0 && count < ofGroup.length}
                    onChange={(event) => pick(ofGroup, event.currentTarget.checked)}
                  />
                </legend>
                {ofGroup.map((type) => (
                  <Checkbox
                    key={type}
                    size="sm"
                    label={words(`short.${type}`)}
                    checked={picked.has(type)}
                    onChange={(event) => pick([type], event.currentTarget.checked)}
                  />
                ))}
              </fieldset>
            );
          })}
        </div>
      )}
    </FilterButton>
  );
}
