import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { CallReply } from '@pressel/contract/call';
import { createChannel, type TalkMode } from '@pressel/contract/channels';
import type { UserId } from '@pressel/contract/ids';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useRef, useState } from 'react';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { CHANNELS_KEY } from '#src/shared/lists/lists.queries.ts';
import { UserPicker } from '#src/shared/lists/pickers.tsx';
import { useApi, useUser } from '#src/shared/services.tsx';
import { FormActs, FormDialog, type FormHandle, useUnsaved } from '#src/shared/ui/form-dialog.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { ChannelFields, type NameFault, nameFaultOf } from './channel-fields.tsx';
import { panelText } from './channel-panel.ts';
import styles from './channels.module.css';

/** Dialog for a new channel: name, talk mode and initial members. */
export function CreateChannelDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('channels');
  return (
    <FormDialog isOpen={isOpen} title={t('create.title')} onClose={onClose}>
      {(form) => <CreateChannelForm form={form} />}
    </FormDialog>
  );
}

/** Shown longer than other messages, because it has buttons to press. */
const CREATED_SHOWN_MS = 8_000;

interface CreatedActsProps {
  name: string;
  channel: CallReply<typeof createChannel>['res'];
  onDone: () => void;
}

/** Next steps after creating a channel. */
function CreatedActs({ name, channel, onDone }: CreatedActsProps) {
  const { t } = useTranslation('channels');
  return (
    <span className={styles.created}>
      <span dir="auto">{name}</span>
      <span className={styles.createdActs}>
        <Button
          size="compact-sm"
          onClick={onDone}
          renderRoot={(props) => (
            <Link to="/groupCallView/$roomId" params={{ roomId: channel.rtcSession }} {...props} />
          )}
        >
          {t('create.enter')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={onDone}
          renderRoot={(props) => (
            <Link to="/channelsList" search={{ panel: panelText({ type: 'members', id: channel.id }) }} {...props} />
          )}
        >
          {t('create.addPeople')}
        </Button>
      </span>
    </span>
  );
}

function CreateChannelForm({ form }: { form: FormHandle }) {
  const { t } = useTranslation('channels');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const nameRef = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const [talkMode, setTalkMode] = useState<TalkMode>('single');
  const { id: self } = useUser();
  // [DASH14] Users who create a channel usually want to be in it.
  const [picked, setPicked] = useState<ReadonlySet<UserId>>(() => new Set([self]));
  const [fault, setFault] = useState<NameFault>();
  useUnsaved(form, name.trim() !== '' || talkMode !== 'single' || picked.size !== 1 || !picked.has(self));

  const create = useMutation({
    mutationFn: () => api.call(createChannel, { channelName: name, talkMode, userList: [...picked] }),
    onSuccess: async ({ res }) => {
      const id = notifications.show({
        title: t('create.done'),
        message: <CreatedActs name={name} channel={res} onDone={() => notifications.hide(id)} />,
        autoClose: CREATED_SHOWN_MS,
      });
      form.close();
      await queries.invalidateQueries({ queryKey: CHANNELS_KEY });
    },
    onError: () => nameRef.current?.focus(),
  });
  const isDuplicate = create.isError && errorCodeOf(create.error) === 'duplicate_channel';

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = nameFaultOf(name);
    setFault(found);
    if (found !== undefined) nameRef.current?.focus();
    else if (!create.isPending) create.mutate();
  };

  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {create.isError && !isDuplicate && (
        <InlineError>
          {t('create.failed')}. {words(create.error)}
        </InlineError>
      )}
      <ChannelFields
        name={name}
        onName={(next) => {
          setName(next);
          setFault(undefined);
          if (isDuplicate) create.reset();
        }}
        nameRef={nameRef}
        fault={fault}
        refusal={isDuplicate ? words(create.error) : undefined}
        talkMode={talkMode}
        onTalkMode={setTalkMode}
      />
      <UserPicker
        title={t('form.members')}
        picked={picked.size}
        isPicked={(user) => picked.has(user.id)}
        onPick={(users, isPicked) =>
          setPicked((known) => {
            const next = new Set(known);
            for (const { id } of users) {
              if (isPicked) next.add(id);
              else next.delete(id);
            }
            return next;
          })
        }
      />
      <FormActs form={form}>
        <Button type="submit" loading={create.isPending}>
          {t('create.submit')}
        </Button>
      </FormActs>
    </form>
  );
}
