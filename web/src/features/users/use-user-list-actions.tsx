import type { User } from '@pressel/contract/users';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { lazyComponent } from '#src/shared/lazy-component.ts';
import { loadableChunk } from '#src/shared/renewal.ts';
import { LazyOverlay } from '#src/shared/ui/lazy-section.tsx';
import type { UserActsProps } from './acts/user-acts.tsx';
import type { RowAct } from './acts/user-acts-dialogs.tsx';

/** Loads all that opens over a list of users. A page does so before the first use. */
export const loadUserDialogs = loadableChunk(async () => (await import('./user-dialogs.tsx')).userDialogs);
const UserActsDialogs = lazyComponent(async () => (await loadUserDialogs()).UserActsDialogs);
const UserForms = lazyComponent(async () => (await loadUserDialogs()).UserForms);
const UserSheet = lazyComponent(async () => (await loadUserDialogs()).UserSheet);

/** A question stays unchanged until its dialog is gone; `opener` gets the focus back. */
export interface Question<Act> {
  act: Act;
  isOpen: boolean;
  opener: HTMLElement | null;
}

export interface UserListActionsOptions {
  /** 'create', 'sheet:' with the id of the shown user, or the id of the edited user. */
  panel: string | undefined;
  onPanel: (panel: string | undefined) => void;
  /** The list's element: its filter gets the focus when the focused element is gone. */
  listRef: RefObject<HTMLElement | null>;
  onDeleted?: (user: User) => void;
}

export interface UserListActions {
  onEdit: UserActsProps['onEdit'];
  /** Opens the sheet of a user. */
  onOpen: UserActsProps['onEdit'];
  onAsk: UserActsProps['onAsk'];
  /** Gives the focus back to where an act began. */
  focusAgain: (opener: HTMLElement | null | undefined) => void;
  /** The dialogs over the list; render them once in the page. */
  dialogs: ReactNode;
}

const SHEET = 'sheet:';
const sheetOf = (panel: string | undefined): string | undefined =>
  panel?.startsWith(SHEET) ? panel.slice(SHEET.length) : undefined;

/** All acts on users from a list of them. */
export function useUserListActions({ panel, onPanel, listRef, onDeleted }: UserListActionsOptions): UserListActions {
  /** The element where editing began; null for a click on a row, undefined for an address. */
  const editOpener = useRef<HTMLElement | null>(undefined);
  /** The same for the sheet, which passes it on to the editing. */
  const sheetOpener = useRef<HTMLElement | null>(undefined);
  const [question, ask] = useState<Question<RowAct> & { user: User }>();
  // Stays mounted once opened, so that its closing can be seen.
  const [isPanelUsed, setPanelUsed] = useState(false);
  const [isSheetUsed, setSheetUsed] = useState(false);
  const shown = sheetOf(panel);
  if (shown !== undefined && !isSheetUsed) setSheetUsed(true);
  if (panel !== undefined && shown === undefined && !isPanelUsed) setPanelUsed(true);

  // The row or the bar that the question came from may be gone. Then the focus goes to the filter, where the user looks
  // for the next.
  const focusAgain = (opener: HTMLElement | null | undefined) => {
    const filter = listRef.current?.querySelector<HTMLElement>('input[type=search]');
    (opener?.isConnected ? opener : filter)?.focus();
  };

  const onEdit: UserListActions['onEdit'] = (user, opener) => {
    editOpener.current = shown === undefined ? opener : sheetOpener.current;
    onPanel(user.id);
  };
  const onAsk: UserListActions['onAsk'] = (act, user, opener) => ask({ act, user, opener, isOpen: true });

  return {
    onEdit,
    onOpen(user, opener) {
      sheetOpener.current = opener;
      onPanel(`${SHEET}${user.id}`);
    },
    onAsk,
    focusAgain,
    dialogs: (
      <>
        {isSheetUsed && (
          <LazyOverlay isOpen={shown !== undefined} onClose={() => onPanel(undefined)}>
            <UserSheet
              id={shown}
              isCovered={question?.isOpen === true}
              onClose={() => onPanel(undefined)}
              onClosed={() => {
                // Something else may have opened when the sheet closed.
                if (panel === undefined && sheetOpener.current !== null) focusAgain(sheetOpener.current);
              }}
              onEdit={onEdit}
              onAsk={onAsk}
            />
          </LazyOverlay>
        )}
        {question && (
          <LazyOverlay isOpen={question.isOpen} onClose={() => ask({ ...question, isOpen: false })}>
            <UserActsDialogs
              {...question}
              onClose={() => ask((known) => known && { ...known, isOpen: false })}
              onClosed={() => focusAgain(question.opener)}
              onDeleted={(user) => {
                // Not back to its row: rows keep their places while the focus is among them, also a row that is gone.
                ask((known) => known && { ...known, opener: null });
                onDeleted?.(user);
                if (shown === user.id) onPanel(undefined);
              }}
            />
          </LazyOverlay>
        )}
        {isPanelUsed && (
          <LazyOverlay isOpen={panel !== undefined && shown === undefined} onClose={() => onPanel(undefined)}>
            <UserForms
              panel={shown === undefined ? panel : undefined}
              onClose={() => onPanel(undefined)}
              onEditClosed={() => {
                // A finger on a row wants no keyboard over the list.
                if (editOpener.current !== null) focusAgain(editOpener.current);
                editOpener.current = undefined;
              }}
            />
          </LazyOverlay>
        )}
      </>
    ),
  };
}
