import { Button } from '@mantine/core';
import { IconArrowsLeftRight } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { Notice } from '#src/shared/ui/notice.tsx';
import type { ImportKind } from '../import-kinds.ts';
import { IMPORT_PATHS } from '../import-paths.ts';
import type { Source } from './import-source.ts';
import type { Import } from './use-import.ts';

export interface OtherKindProps {
  kind: ImportKind;
  source: Source;
  work: Import;
}

/** The file looks like one for the other import: offers to take it there. */
export function OtherKind({ kind, source, work }: OtherKindProps) {
  const { t } = useTranslation('transfer');
  const navigate = useNavigate();
  const other = kind === 'users' ? 'channels' : 'users';
  return (
    <Notice
      icon={IconArrowsLeftRight}
      title={t(`kind.${other}`)}
      acts={
        <>
          <Button variant="default" onClick={() => work.settleKind(source)}>
            {t('kind.keep')}
          </Button>
          <Button onClick={() => void work.handOver(source, other, () => void navigate({ to: IMPORT_PATHS[other] }))}>
            {t('kind.other')}
          </Button>
        </>
      }
    />
  );
}
