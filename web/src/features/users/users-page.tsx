import { Button } from '@mantine/core';
import { type UserId, userId } from '@pressel/contract/ids';
import { IconFilterOff, IconPlus, IconUsers } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { type UserColumn, useUsersPage } from '#src/shared/lists/lists.queries.ts';
import { useSelection } from '#src/shared/lists/selection.ts';
import { FilterBox } from '#src/shared/ui/filter-box.tsx';
import { LazyOverlay, LazySection } from '#src/shared/ui/lazy-section.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import { Page } from '#src/shared/ui/page.tsx';
import { atFirstSign, loadAhead, loadWhenIdle } from '#src/shared/when-idle.ts';
import type { BulkAct } from './bulk/bulk-dialog.tsx';
import { useFilterWords } from './bulk/filter-words.ts';
import { UserTable } from './list/user-table.tsx';
import { loadUserDialogs, type Question, useUserListActions } from './use-user-list-actions.tsx';
import styles from './users.module.css';

const BulkBar = lazyComponent(async () => (await loadUserDialogs()).BulkBar);
const BulkDialog = lazyComponent(async () => (await loadUserDialogs()).BulkDialog);

/** The dialogs are loaded at the first sign that the user is about to use them, or else when the browser is idle. */
const OPENED = [loadUserDialogs];
const foresight = atFirstSign(() => loadAhead(OPENED));

/** The part of the page's state that is in the address. `panel`: see use-user-list-actions.tsx. */
export interface UsersView extends ListView<UserColumn> {
  panel: string | undefined;
}

export interface UsersPageProps {
  view: UsersView;
  /** `isSilent`: a correction, which adds no history entry. */
  onView: (change: Partial<UsersView>, isSilent?: boolean) => void;
  /** Import and export, in the toolbar. */
  transfer?: ReactNode;
}

/** Everybody with an account. For administrators. */
export function UsersPage({ view, onView, transfer }: UsersPageProps) {
  const { t } = useTranslation('users');
  const wordsOf = useFilterWords();
  const users = useUsersPage(view, { wordsOf });
  const selection = useSelection();
  const pageRef = useRef<HTMLDivElement>(null);
  useEffect(() => loadWhenIdle(OPENED), []);
  const [bulkQuestion, askBulk] = useState<Question<BulkAct> & { ids: readonly UserId[] }>();

  const actions = useUserListActions({
    panel: view.panel,
    onPanel: (panel) => onView({ panel }),
    listRef: pageRef,
    onDeleted: (user) => selection.set([user.id], false),
  });

  const total = users.data?.total;
  const clearFilter = () => {
    onView({ filter: '', page: 1 });
    actions.focusAgain(null);
  };
  return (
    <div ref={pageRef} {...foresight}>
      <Page
        isWide
        isList
        title={t('title')}
        fact={total === undefined ? undefined : t('count', { count: total })}
        acts={
          <div className={styles.toolbar}>
            <FilterBox value={view.filter} onChange={(filter) => onView({ filter, page: 1 })} label={t('filter')} />
            {transfer}
            <Button
              leftSection={<IconPlus size={16} aria-hidden="true" />}
              data-shortcut="create"
              onClick={() => onView({ panel: 'create' })}
            >
              {t('add')}
            </Button>
          </div>
        }
      >
        <UserTable
          users={users}
          view={view}
          onView={onView}
          selection={selection}
          onEdit={actions.onEdit}
          onOpen={actions.onOpen}
          onAsk={actions.onAsk}
          empty={
            view.filter.trim() === '' ? (
              <Notice
                icon={IconUsers}
                title={t('empty')}
                acts={<Button onClick={() => onView({ panel: 'create' })}>{t('add')}</Button>}
              >
                {t('emptyText')}
              </Notice>
            ) : (
              <Notice
                icon={IconFilterOff}
                title={t('noMatch', { filter: view.filter.trim() })}
                acts={
                  <Button variant="default" onClick={clearFilter}>
                    {t('clear')}
                  </Button>
                }
              />
            )
          }
        />
        {selection.keys.size > 0 && (
          <LazySection>
            <BulkBar
              filter={view.filter}
              total={total ?? 0}
              selection={selection}
              onClear={() => {
                selection.clear();
                actions.focusAgain(null);
              }}
              onAsk={(act, opener) =>
                askBulk({ act, opener, isOpen: true, ids: [...selection.keys].map((key) => userId.parse(key)) })
              }
            />
          </LazySection>
        )}
      </Page>
      {actions.dialogs}
      {bulkQuestion && (
        <LazyOverlay isOpen={bulkQuestion.isOpen} onClose={() => askBulk({ ...bulkQuestion, isOpen: false })}>
          <BulkDialog
            {...bulkQuestion}
            filter={view.filter}
            onClose={(gone) => {
              selection.set(gone, false);
              askBulk({ ...bulkQuestion, isOpen: false });
            }}
            onClosed={() => actions.focusAgain(bulkQuestion.opener)}
          />
        </LazyOverlay>
      )}
    </div>
  );
}
