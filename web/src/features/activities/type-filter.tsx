import { Checkbox } from '@mantine/core';
import { type LoggedType, loggedType } from '@pressel/contract/activity-types';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './activity-filters.module.css';
import { FilterButton } from './filter-button.tsx';
import { TYPE_GROUPS, type TypeGroup } from './type-groups.ts';

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
