import type { User } from '@pressel/contract/users';
import { lazy, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';
import { part } from '#src/shared/renewal.ts';
import type { UserActsProps } from './user-acts.tsx';
import type { RowAct } from './user-acts-dialogs.tsx';

const loadActs = part(() => import('./user-acts-dialogs.tsx'));
const loadForms = part(() => import('./user-dialogs.tsx'));
const UserActsDialogs = lazy(async () => ({ default: (await loadActs()).UserActsDialogs }));
const UserDialogs = lazy(async () => ({ default: (await loadForms()).UserDialogs }));

/** Loads what opens over a list of users with the first sign that somebody is about to use it. */
export const foreseeUserActs = () => {
  for (const load of [loadForms, loadActs]) load().catch(() => undefined);
};

/** Whatever was asked stays what it is until its dialog is gone; `opener` gets the focus back. */
export interface Question<Act> {
  act: Act;
  isOpen: boolean;
  opener: HTMLElement | null;
}

export interface UserDeskOptions {
  /** 'create', or the id of the user who is edited. */
  panel: string | undefined;
  onPanel: (panel: string | undefined) => void;
  /** Where the list is: its filter gets the focus when what had it is gone. */
  place: RefObject<HTMLElement | null>;
  onDeleted?: (user: User) => void;
}

export interface UserDesk {
  onEdit: UserActsProps['onEdit'];
  onAsk: UserActsProps['onAsk'];
  /** Gives the focus back to where an act began. */
  focusAgain: (opener: HTMLElement | null | undefined) => void;
  /** What opens over the list; in the page, once. */
  dialogs: ReactNode;
}

/** Everything that can be done to users from a list of them. */
export function useUserDesk({ panel, onPanel, place, onDeleted }: UserDeskOptions): UserDesk {
  /** Where the editing began; null for a click on a row, undefined for an address. */
  const editOpener = useRef<HTMLElement | null>(undefined);
  const [question, ask] = useState<Question<RowAct> & { user: User }>();
  // Once open, its closing is to be seen.
  const [isPanelUsed, setPanelUsed] = useState(false);
  if (panel !== undefined && !isPanelUsed) setPanelUsed(true);

  // The row or the bar that the question came from may be gone: then back to where one looks for the next.
  const focusAgain = (opener: HTMLElement | null | undefined) => {
    const filter = place.current?.querySelector<HTMLElement>('input[type=search]');
    (opener?.isConnected ? opener : filter)?.focus();
  };

  return {
    onEdit(user, opener) {
      editOpener.current = opener;
      onPanel(user.id);
    },
    onAsk: (act, user, opener) => ask({ act, user, opener, isOpen: true }),
    focusAgain,
    dialogs: (
      <Suspense fallback={null}>
        {question && (
          <UserActsDialogs
            {...question}
            onClose={() => ask({ ...question, isOpen: false })}
            onClosed={() => focusAgain(question.opener)}
            onDeleted={(user) => onDeleted?.(user)}
          />
        )}
        {isPanelUsed && (
          <UserDialogs
            panel={panel}
            onClose={() => onPanel(undefined)}
            onEditClosed={() => {
              // A finger on a row wants no keyboard over the list.
              if (editOpener.current !== null) focusAgain(editOpener.current);
              editOpener.current = undefined;
            }}
          />
        )}
      </Suspense>
    ),
  };
}
