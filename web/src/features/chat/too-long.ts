import { MESSAGE_MAX_LENGTH } from '@pressel/contract/limits';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';

/**
 * What is said of a text that is longer than a message may be; undefined of any other. A field that took no more would cut off
 * the end of what is pasted, without a word [CHATS34].
 */
export function useTooLong(text: string): string | undefined {
  const { t } = useTranslation('chat');
  const { length } = text.trim();
  return length > MESSAGE_MAX_LENGTH ? t('composer.tooLong', { length, max: MESSAGE_MAX_LENGTH }) : undefined;
}
