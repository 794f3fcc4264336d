import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { saveFile } from '#src/shared/save-file.ts';
import type { TextSheet } from '../sheet/transfer-sheets.ts';
import { writeWorkbook } from '../sheet/workbook-writer.ts';

interface Work {
  /** The file's name, without '.xlsx'. */
  name: string;
  sheets: () => Promise<readonly TextSheet[]>;
}

export interface SaveWorkbook {
  /** `onSaved`: called once the file was written and handed to the browser. */
  save: (name: Work['name'], sheets: Work['sheets'], onSaved?: () => void) => void;
  isSaving: boolean;
}

/** Makes a workbook and downloads it; failures are shown as notifications. */
export function useSaveWorkbook(): SaveWorkbook {
  const { t } = useTranslation('exports');
  const words = useErrorWords();
  const work = useMutation({
    mutationFn: async ({ name, sheets }: Work) => saveFile(await writeWorkbook(await sheets()), `${name}.xlsx`),
    onError: (error) => notifications.show({ title: t('buttons.failed'), message: words(error) }),
  });
  return {
    save: (name, sheets, onSaved) => work.mutate({ name, sheets }, { onSuccess: () => onSaved?.() }),
    isSaving: work.isPending,
  };
}
