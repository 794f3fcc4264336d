import { MESSAGE_MAX_LENGTH } from '@pressel/contract/limits';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';

/**
 * The words for a text that is longer than a message may be; undefined for any other. A field with a length limit would
 * cut off the end of a pasted text without a word [CHATS34].
 */
export function useTooLong(text: string): string | undefined {
  const { t } = useTranslation('chat');
  const { length } = text.trim();
  return length > MESSAGE_MAX_LENGTH ? t('composer.tooLong', { length, max: MESSAGE_MAX_LENGTH }) : undefined;
}
