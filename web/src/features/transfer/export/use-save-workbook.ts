import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { useErrorWords, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { saveFile } from '#src/shared/save-file.ts';
import type { TextSheet } from '../sheet/transfer-sheets.ts';

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

const WRITE_MAX_MS = 60_000;

/** Makes a workbook in a worker. */
async function writeWorkbook(sheets: readonly TextSheet[]): Promise<Blob> {
  const worker = new Worker(new URL('../sheet/workbook-worker.ts', import.meta.url), { type: 'module' });
  try {
    return await new Promise<Blob>((resolve, reject) => {
      const fail = () => reject(new Error('The workbook could not be written.'));
      const timer = setTimeout(fail, WRITE_MAX_MS);
      worker.addEventListener('message', (event: MessageEvent<Blob | null>) => {
        clearTimeout(timer);
        if (event.data === null) fail();
        else resolve(event.data);
      });
      worker.addEventListener('error', fail);
      worker.postMessage(sheets);
    });
  } finally {
    worker.terminate();
  }
}
