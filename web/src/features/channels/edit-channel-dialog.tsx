import { Button, Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type Channel, type TalkMode, updateChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { typedName } from '@pressel/contract/text';
import { IconBroadcastOff, IconGitMerge } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { CHANNELS_KEY, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { UserPicker } from '#src/shared/lists/pickers.tsx';
import { useApi } from '#src/shared/services.tsx';
import { ConflictFrame, changedBy, useLastChanger } from '#src/shared/ui/conflict-frame.tsx';
import { FormActs, FormDialog, type FormHandle, useUnsaved } from '#src/shared/ui/form-dialog.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import { InlineError, Notice } from '#src/shared/ui/notice.tsx';
import channelConflictStyles from './channel-conflict.module.css';
import { ChannelFields, type NameFault, nameFaultOf } from './channel-fields.tsx';
import styles from './channels.module.css';
import { channelQuery } from './channels.queries.ts';

/** Unsaved changes of members: added (true) or removed (false), relative to the server's state. */
type MemberChanges = ReadonlyMap<UserId, boolean>;

/** The changes after selecting or deselecting rows. Values equal to the server's are dropped. */
export function changedMembers(
  changes: MemberChanges,
  users: readonly { id: UserId; isMember?: boolean | undefined }[],
  isPicked: boolean,
): MemberChanges {
  const next = new Map(changes);
  for (const { id, isMember = false } of users) {
    if (isPicked === isMember) next.delete(id);
    else next.set(id, isPicked);
  }
  return next;
}

/** The changes as lists of added and removed users. */
export function membersAfter(changes: MemberChanges): { added: UserId[]; removed: UserId[] } {
  const ids = [...changes];
  return {
    added: ids.filter(([, isPicked]) => isPicked).map(([id]) => id),
    removed: ids.filter(([, isPicked]) => !isPicked).map(([id]) => id),
  };
}

export interface EditChannelDialogProps {
  /** Undefined while closed. */
  channelId: ChannelId | undefined;
  onClose: () => void;
}

/** Dialog for a channel's name, talk mode and members. Detects concurrent changes by others. */
export function EditChannelDialog({ channelId, onClose }: EditChannelDialogProps) {
  const { t } = useTranslation('channels');
  return (
    <FormDialog isOpen={channelId !== undefined} title={t('edit.title')} onClose={onClose}>
      {(form) => channelId && <EditChannel key={channelId} channelId={channelId} form={form} />}
    </FormDialog>
  );
}

function EditChannel({ channelId, form }: { channelId: ChannelId; form: FormHandle }) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  const channel = useQuery(channelQuery(useApi(), channelId));
  if (channel.data === undefined) {
    if (channel.isError) return <LoadError error={channel.error} onRetry={() => void channel.refetch()} />;
    return <RowsSkeleton rows={8} />;
  }
  if (channel.data === null) {
    return (
      <Notice
        icon={IconBroadcastOff}
        title={t('gone')}
        acts={
          <Button variant="default" onClick={form.close}>
            {shared('close')}
          </Button>
        }
      >
        {t('edit.goneText')}
      </Notice>
    );
  }
  return <EditChannelForm channel={channel.data} form={form} />;
}

/** The values that first filled the fields, to detect changes since then. */
type Base = Pick<Channel, 'name' | 'talkMode' | 'version'>;

function EditChannelForm({ channel, form }: { channel: Channel; form: FormHandle }) {
  const { t } = useTranslation('channels');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const nameRef = useRef<HTMLInputElement>(null);
  const [base, setBase] = useState<Base>(channel);
  const [name, setName] = useState(channel.name);
  const [talkMode, setTalkMode] = useState<TalkMode>(channel.talkMode);
  const [changes, setChanges] = useState<MemberChanges>(new Map());
  const [onlyMembers, setOnlyMembers] = useState(false);
  const [fault, setFault] = useState<NameFault>();
  const [isMerged, setMerged] = useState(false);
  const { added, removed } = membersAfter(changes);
  const mine = { name: typedName(name), talkMode };
  const merged = mergeEdits(base, mine, channel);
  useUnsaved(form, mine.name !== base.name || talkMode !== base.talkMode || changes.size > 0);

  // The dialog set the focus before the fields were rendered.
  useEffect(() => nameRef.current?.focus(), []);

  // Somebody else changed the channel. Without a conflict, their change is merged into the fields, with a notice.
  if (channel.version !== base.version && !merged.isConflict) {
    setBase(channel);
    setName(merged.name);
    setTalkMode(merged.talkMode);
    setMerged(true);
  }

  const save = useMutation({
    mutationFn: ({ version, ...fields }: Base) =>
      api.call(updateChannel, {
        channelId: channel.id,
        channelName: fields.name,
        talkMode: fields.talkMode,
        version,
        addUsers: added,
        removeUsers: removed,
      }),
    onSuccess: async (_, { name: saved }) => {
      notifications.show({ title: t('edit.done'), message: saved });
      form.close();
      await refresh();
    },
    onError: async (error) => {
      // Reloads the channel to show whether it was changed or deleted meanwhile.
      if (errorCodeOf(error) === 'duplicate_channel') nameRef.current?.focus();
      else await refresh();
    },
  });
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: CHANNELS_KEY }),
      queries.invalidateQueries({ queryKey: USERS_KEY }),
    ]);
  const code = save.isError ? errorCodeOf(save.error) : undefined;
  const isDuplicate = code === 'duplicate_channel';

  const saveIfNamed = (fields: Base) => {
    const found = nameFaultOf(fields.name);
    setFault(found);
    if (found !== undefined) nameRef.current?.focus();
    else if (!save.isPending) save.mutate(fields);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // With a conflict, only its 'save mine' button saves.
    if (!merged.isConflict) saveIfNamed({ ...mine, version: base.version });
  };
  const takeTheirs = () => {
    setBase(channel);
    setName(channel.name);
    setTalkMode(channel.talkMode);
    setFault(undefined);
    setMerged(false);
    save.reset();
    nameRef.current?.focus();
  };
  const pick = (users: readonly { id: UserId; isMember?: boolean | undefined }[], isPicked: boolean) =>
    setChanges((known) => changedMembers(known, users, isPicked));

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {merged.isConflict && (
        <ChannelConflict
          theirs={channel}
          mine={merged}
          isSaving={save.isPending}
          onTakeTheirs={takeTheirs}
          onSaveMine={() => saveIfNamed({ name: merged.name, talkMode: merged.talkMode, version: channel.version })}
        />
      )}
      {isMerged && !merged.isConflict && (
        <p className={styles.merged} role="status">
          <IconGitMerge size={18} aria-hidden="true" />
          {t('conflict.merged')}
        </p>
      )}
      {save.isError && !isDuplicate && code !== 'conflict' && (
        <InlineError>
          <strong>{t('edit.error')}</strong> {t('edit.failed')}. {words(save.error)}
        </InlineError>
      )}
      <ChannelFields
        name={name}
        onName={(next) => {
          setName(next);
          setFault(undefined);
          if (isDuplicate) save.reset();
        }}
        nameRef={nameRef}
        fault={fault}
        refusal={isDuplicate ? words(save.error) : undefined}
        hint={t('edit.addressHint')}
        talkMode={talkMode}
        onTalkMode={setTalkMode}
      />
      <UserPicker
        title={t('form.members')}
        members={{ channelId: channel.id, only: onlyMembers, isFirst: true }}
        picked={channel.userCount + added.length - removed.length}
        isPicked={(user) => changes.get(user.id) ?? user.isMember ?? false}
        onPick={pick}
        acts={
          <Switch
            label={t('form.onlyMembers')}
            checked={onlyMembers}
            onChange={(event) => setOnlyMembers(event.currentTarget.checked)}
          />
        }
      />
      <FormActs form={form}>
        <Button type="submit" loading={save.isPending} disabled={merged.isConflict}>
          {t('edit.submit')}
        </Button>
      </FormActs>
    </form>
  );
}

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

interface ChannelConflictProps {
  theirs: ChannelEdit & Pick<Channel, 'id' | 'version'>;
  mine: ChannelEdit;
  isSaving: boolean;
  onTakeTheirs: () => void;
  onSaveMine: () => void;
}

/** Shown when somebody else changed the channel meanwhile: shows both versions and lets the user choose. */
function ChannelConflict({ theirs, mine, isSaving, onTakeTheirs, onSaveMine }: ChannelConflictProps) {
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
      <table className={channelConflictStyles.compare}>
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
