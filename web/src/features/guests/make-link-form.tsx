import { Button, NativeSelect, TextInput } from '@mantine/core';
import { createGuestLink, guestLinkName } from '@pressel/contract/guests';
import type { ChannelId } from '@pressel/contract/ids';
import { GUEST_LINK_HOURS, GUESTS_PER_LINK } from '@pressel/contract/limits';
import { IconCheck, IconCopy, IconLinkPlus } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { askSharedOrigin } from '#src/shared/server-origin.ts';
import { useApi } from '#src/shared/services.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { useCopy } from '#src/shared/use-copy.ts';
import { type NameFault, nameFaultOf } from './guest-name.rules.ts';
import styles from './guests.module.css';
import { guestLinksKey } from './guests.queries.ts';

type Hours = (typeof GUEST_LINK_HOURS)[number];
/** One working shift. */
const FIRST_HOURS: Hours = 8;

export interface MakeLinkFormProps {
  channelId: ChannelId;
  /** Whether the form takes the focus, because it replaces the element that had it. */
  takesFocus: boolean;
  onMade: (made: Made) => void;
}

/** Makes a link with a name and a duration. */
export function MakeLinkForm({ channelId, takesFocus, onMade }: MakeLinkFormProps) {
  const { t } = useTranslation('guests');
  const api = useApi();
  const queries = useQueryClient();
  const words = useErrorWords();
  const nameRef = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const [hours, setHours] = useState<Hours>(FIRST_HOURS);
  const [fault, setFault] = useState<NameFault>();
  const make = useMutation({
    mutationFn: async () => {
      // Asked before the link is made: if the page were left during the wait, the link would be lost.
      const origin = await askSharedOrigin(queries, api);
      return { origin, ...(await api.call(createGuestLink, { channelId, name, hours })) };
    },
    onSuccess: ({ res, path, origin }) => {
      onMade({ name: res.name, address: `${origin}${path}` });
      void queries.invalidateQueries({ queryKey: guestLinksKey(channelId) });
    },
    onError: () => nameRef.current?.focus(),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = nameFaultOf(guestLinkName(), name);
    setFault(found);
    if (found !== undefined) nameRef.current?.focus();
    else if (!make.isPending) make.mutate();
  };
  return (
    <form className={styles.make} onSubmit={submit} noValidate aria-label={t('make.title')}>
      {make.isError && (
        <div className={styles.whole}>
          <InlineError>
            {t('make.failed')} {words(make.error)}
          </InlineError>
        </div>
      )}
      <TextInput
        ref={nameRef}
        className={styles.forWhom ?? ''}
        label={t('make.name')}
        description={t('make.nameHelp')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={name}
        onChange={(event) => {
          setName(event.currentTarget.value);
          setFault(undefined);
        }}
        error={fault && t(`fault.${fault}`)}
        autoComplete="off"
        autoFocus={takesFocus}
        data-autofocus
        required
        withAsterisk={false}
      />
      <NativeSelect
        label={t('make.hours')}
        value={hours}
        onChange={(event) => {
          const chosen = GUEST_LINK_HOURS.find((one) => String(one) === event.currentTarget.value);
          if (chosen !== undefined) setHours(chosen);
        }}
        data={GUEST_LINK_HOURS.map((one) => ({ value: String(one), label: t(`hours.${one}`) }))}
      />
      <Button
        type="submit"
        loading={make.isPending}
        leftSection={<IconLinkPlus size={16} aria-hidden="true" />}
        className={styles.submit ?? ''}
      >
        {t('make.submit')}
      </Button>
    </form>
  );
}

/** A new link with its token, which nobody can read again. */
export interface Made {
  name: string;
  address: string;
}

/** Shows a new link once, so that the administrator can copy it [GUEST1]. */
export function MadeLink({ made, onDone }: { made: Made; onDone: () => void }) {
  const { t } = useTranslation('guests');
  const addressRef = useRef<HTMLInputElement>(null);
  const { copied, copy } = useCopy();
  useEffect(() => addressRef.current?.select(), []);
  return (
    <section className={styles.made} aria-label={t('made.title', { name: made.name })}>
      <h3 className={styles.madeTitle}>{t('made.title', { name: made.name })}</h3>
      <p className={styles.madeText}>{t('made.once', { max: GUESTS_PER_LINK })}</p>
      <TextInput
        ref={addressRef}
        label={t('made.address')}
        value={made.address}
        readOnly
        onFocus={(event) => event.currentTarget.select()}
        classNames={{ input: styles.address ?? '' }}
      />
      <div className={styles.madeActs}>
        <Button
          onClick={() => {
            addressRef.current?.select();
            copy(made.address);
          }}
          leftSection={
            copied === 'yes' ? <IconCheck size={16} aria-hidden="true" /> : <IconCopy size={16} aria-hidden="true" />
          }
        >
          {t('made.copy')}
        </Button>
        <Button variant="default" onClick={onDone}>
          {t('made.done')}
        </Button>
        <span role="status" className={styles.copied}>
          {copied === 'yes' && t('made.copied')}
          {copied === 'by hand' && t('made.byHand')}
        </span>
      </div>
    </section>
  );
}
