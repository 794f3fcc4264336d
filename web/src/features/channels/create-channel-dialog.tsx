import { Button, Modal, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { channelName, createChannel, type TalkMode } from '@pressel/contract/channels';
import type { UserId } from '@pressel/contract/ids';
import { CHANNEL_NAME_MAX_LENGTH } from '@pressel/contract/limits';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorCodeOf } from '#src/shared/api/api-error.ts';
import { useErrorWords } from '#src/shared/i18n/error-words.ts';
import { useApi } from '#src/shared/services.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import styles from './channels.module.css';
import { UserPicker } from './user-picker.tsx';

type NameFault = 'nameRequired' | 'nameTooLong' | 'nameReserved';

/** The contract's word for what is wrong with a name, as ours. */
const FAULTS: Partial<Record<string, NameFault>> = { required: 'nameRequired', reserved: 'nameReserved' };

/** A name, who may talk, and who is in it from the start. */
export function CreateChannelDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('create.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': shared('close') }}
    >
      <CreateChannelForm onClose={onClose} />
    </Modal>
  );
}

function CreateChannelForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('channels');
  const { t: shared } = useTranslation('shared');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const nameRef = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const [talkMode, setTalkMode] = useState<TalkMode>('single');
  const [picked, setPicked] = useState<ReadonlySet<UserId>>(new Set());
  const [fault, setFault] = useState<NameFault>();

  const create = useMutation({
    mutationFn: () => api.call(createChannel, { channelName: name, talkMode, userList: [...picked] }),
    onSuccess: async () => {
      notifications.show({ title: t('create.done'), message: name });
      onClose();
      await queries.invalidateQueries({ queryKey: ['channels'] });
    },
    onError: () => nameRef.current?.focus(),
  });
  const isDuplicate = create.isError && errorCodeOf(create.error) === 'duplicate_channel';

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const issue = channelName.safeParse(name).error?.issues[0];
    if (issue !== undefined) {
      setFault(FAULTS[issue.message] ?? 'nameTooLong');
      nameRef.current?.focus();
    } else if (!create.isPending) create.mutate();
  };

  const nameError = fault && t(`create.${fault}`, { max: CHANNEL_NAME_MAX_LENGTH });
  return (
    <form className={styles.form} onSubmit={submit} noValidate>
      {create.isError && !isDuplicate && (
        <InlineError>
          {t('create.failed')}. {words(create.error)}
        </InlineError>
      )}
      <TextInput
        ref={nameRef}
        label={t('create.name')}
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setFault(undefined);
          if (isDuplicate) create.reset();
        }}
        error={isDuplicate ? words(create.error) : nameError}
        autoComplete="off"
        data-autofocus
        required
        withAsterisk={false}
      />
      <fieldset className={styles.modes}>
        <legend className={styles.legend}>{t('create.mode')}</legend>
        {(['single', 'open'] as const).map((mode) => (
          <label className={styles.choice} key={mode}>
            <input type="radio" name="talkMode" checked={talkMode === mode} onChange={() => setTalkMode(mode)} />
            <span>{t(`create.${mode}`)}</span>
            <span className={styles.choiceText}>{t(`create.${mode}Text`)}</span>
          </label>
        ))}
      </fieldset>
      <UserPicker
        picked={picked}
        onToggle={(id) =>
          setPicked((known) => {
            const next = new Set(known);
            if (!next.delete(id)) next.add(id);
            return next;
          })
        }
      />
      <div className={styles.acts}>
        <Button variant="default" onClick={onClose}>
          {shared('cancel')}
        </Button>
        <Button type="submit" loading={create.isPending}>
          {t('create.submit')}
        </Button>
      </div>
    </form>
  );
}
