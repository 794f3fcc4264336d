import { Button } from '@mantine/core';
import type { Channel } from '@pressel/contract/channels';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { changedBy, useLastChanger } from '#src/shared/last-changer.ts';
import { ConflictFrame } from '#src/shared/ui/conflict-frame.tsx';
import styles from './channel-conflict.module.css';

/** The editable fields of a channel. */
export type ChannelEdit = Pick<Channel, 'name' | 'talkMode'>;

/**
 * Three-way merge: a field that only one side changed takes that side's value. A field that both changed to different
 * values is a conflict, and keeps mine until the user decides.
 */
export function mergeEdits(base: ChannelEdit, mine: ChannelEdit, theirs: ChannelEdit) {
  const merge = <Field extends keyof ChannelEdit>(field: Field) => ({
    value: mine[field] === base[field] ? theirs[field] : mine[field],
    isConflict: mine[field] !== base[field] && theirs[field] !== base[field] && mine[field] !== theirs[field],
  });
  const [name, talkMode] = [merge('name'), merge('talkMode')];
  return { name: name.value, talkMode: talkMode.value, isConflict: name.isConflict || talkMode.isConflict };
}

export interface ChannelConflictProps {
  theirs: ChannelEdit & Pick<Channel, 'id' | 'version'>;
  mine: ChannelEdit;
  isSaving: boolean;
  onTakeTheirs: () => void;
  onSaveMine: () => void;
}

/** Shown when somebody else changed the channel meanwhile: shows both versions and lets the user choose. */
export function ChannelConflict({ theirs, mine, isSaving, onTakeTheirs, onSaveMine }: ChannelConflictProps) {
  const { t } = useTranslation('channels');
  const who = useLastChanger({ channelId: theirs.id, types: ['channel_update'] }, theirs.version);
  const rows = [
    { label: t('form.name'), theirs: theirs.name, mine: mine.name },
    { label: t('form.mode'), theirs: t(`form.${theirs.talkMode}`), mine: t(`form.${mine.talkMode}`) },
  ];
  return (
    <ConflictFrame
      title={t(`conflict.${changedBy(who)}`, { name: who?.name })}
      text={t('conflict.text')}
      isAnnounced
      acts={
        <>
          <Button size="xs" variant="default" onClick={onTakeTheirs} disabled={isSaving}>
            {t('conflict.takeTheirs')}
          </Button>
          <Button size="xs" onClick={onSaveMine} loading={isSaving}>
            {t('conflict.saveMine')}
          </Button>
        </>
      }
    >
      <table className={styles.compare}>
        <thead>
          <tr>
            <td />
            <th scope="col">{t('conflict.theirs')}</th>
            <th scope="col">{t('conflict.mine')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label} data-differs={row.theirs !== row.mine || undefined}>
              <th scope="row">{row.label}</th>
              <td>
                <bdi>{row.theirs}</bdi>
              </td>
              <td>
                <bdi>{row.mine}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </ConflictFrame>
  );
}
