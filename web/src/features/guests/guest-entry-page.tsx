import { Button, TextInput } from '@mantine/core';
import { guestName, type Invitation } from '@pressel/contract/guests';
import { IconEyeOff, IconMicrophone, IconVideo } from '@tabler/icons-react';
import { type FormEvent, useRef, useState } from 'react';
import { formatDateTime } from '#src/shared/format/format.ts';
import { useErrorWords, useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { InlineError } from '#src/shared/ui/notice.tsx';
import { PublicPageFrame } from '#src/shared/ui/public-page-frame.tsx';
import styles from './guest-entry.module.css';
import { type NameFault, nameFaultOf } from './guest-name.rules.ts';

export interface GuestEntryPageProps {
  invitation: Extract<Invitation, { state: 'open' }>;
  isEntering: boolean;
  /** Why entering failed; null when it did not fail. */
  error: unknown;
  onEnter: (name: string) => void;
}

/** Asks for a guest's name, and says what entering does [GUEST12]. */
export function GuestEntryPage({ invitation, isEntering, error, onEnter }: GuestEntryPageProps) {
  const { t } = useTranslation('guests');
  const { current } = useLanguage();
  const words = useErrorWords();
  const nameRef = useRef<HTMLInputElement>(null);
  const [name, setName] = useState('');
  const [fault, setFault] = useState<NameFault>();
  const title = t('entry.title', { name: invitation.channelName });
  const called = guestName().safeParse(name).data ?? t('entry.sample');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const found = nameFaultOf(guestName(), name);
    setFault(found);
    if (found !== undefined) nameRef.current?.focus();
    else if (!isEntering) onEnter(name);
  };
  return (
    <PublicPageFrame title={title}>
      <main className={styles.main}>
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.lead}>{t('entry.lead', { date: formatDateTime(invitation.expiresAt, current) })}</p>
        <form className={styles.form} onSubmit={submit} noValidate>
          {error !== null && <InlineError>{words(error)}</InlineError>}
          <TextInput
            ref={nameRef}
            label={t('entry.name')}
            description={t('entry.nameHelp', { name: `${called} (${invitation.name})` })}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={name}
            onChange={(event) => {
              setName(event.currentTarget.value);
              setFault(undefined);
            }}
            error={fault && t(`fault.${fault}`)}
            name="name"
            autoComplete="name"
            required
            withAsterisk={false}
            autoFocus
          />
          <ul className={styles.facts}>
            <li>
              <IconMicrophone size={18} aria-hidden="true" />
              <span>{t('entry.microphone')}</span>
            </li>
            <li>
              <IconVideo size={18} aria-hidden="true" />
              <span>{t('entry.camera')}</span>
            </li>
            <li>
              <IconEyeOff size={18} aria-hidden="true" />
              <span>{t('entry.rest')}</span>
            </li>
          </ul>
          <Button type="submit" loading={isEntering} fullWidth>
            {t('entry.submit')}
          </Button>
          <p className={styles.permission}>{t('entry.permission')}</p>
        </form>
      </main>
    </PublicPageFrame>
  );
}
