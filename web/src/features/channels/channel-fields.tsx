import { TextInput } from '@mantine/core';
import { channelName, type TalkMode } from '@pressel/contract/channels';
import { CHANNEL_NAME_MAX_LENGTH } from '@pressel/contract/limits';
import type { RefObject } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import styles from './channels.module.css';

export type NameFault = 'nameRequired' | 'nameTooLong' | 'nameReserved';

/** Maps the contract's issue codes to the form's faults. */
const FAULTS: Partial<Record<string, NameFault>> = { required: 'nameRequired', reserved: 'nameReserved' };

/** The fault of a name as typed, or undefined. */
export function nameFaultOf(name: string): NameFault | undefined {
  const issue = channelName().safeParse(name).error?.issues[0];
  return issue && (FAULTS[issue.message] ?? 'nameTooLong');
}

export interface ChannelFieldsProps {
  name: string;
  onName: (name: string) => void;
  nameRef: RefObject<HTMLInputElement | null>;
  fault: NameFault | undefined;
  /** The server's error about the name. */
  refusal: string | undefined;
  hint?: string | undefined;
  talkMode: TalkMode;
  onTalkMode: (mode: TalkMode) => void;
}

/** The fields for a channel's name and talk mode. */
export function ChannelFields(props: ChannelFieldsProps) {
  const { t } = useTranslation('channels');
  return (
    <>
      <TextInput
        ref={props.nameRef}
        label={t('form.name')}
        description={props.hint}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={props.name}
        onChange={(event) => props.onName(event.currentTarget.value)}
        error={props.refusal ?? (props.fault && t(`form.${props.fault}`, { max: CHANNEL_NAME_MAX_LENGTH }))}
        autoComplete="off"
        dir="auto"
        data-autofocus
        required
        withAsterisk={false}
      />
      <fieldset className={styles.modes}>
        <legend className={styles.legend}>{t('form.mode')}</legend>
        {(['single', 'open'] as const).map((mode) => (
          <label className={styles.choice} key={mode}>
            <input
              type="radio"
              name="talkMode"
              checked={props.talkMode === mode}
              onChange={() => props.onTalkMode(mode)}
            />
            <span>{t(`form.${mode}`)}</span>
            <span className={styles.choiceText}>{t(`form.${mode}Text`)}</span>
          </label>
        ))}
      </fieldset>
    </>
  );
}
