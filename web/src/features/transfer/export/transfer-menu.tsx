import { Menu } from '@mantine/core';
import { IconDownload, IconFileSpreadsheet, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { IMPORT_PATHS } from '../sheet/import-kinds.ts';

/** An action that makes a file. */
export interface TransferAct {
  run: () => void;
  isRunning: boolean;
}

export interface TransferMenuProps {
  button: ReactElement;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  /** The page of the import. */
  to: (typeof IMPORT_PATHS)[keyof typeof IMPORT_PATHS];
  exporting: TransferAct;
  model: TransferAct;
}

/** Import, export and template on a phone. */
export function TransferMenu({ button, isOpen, onOpen, to, exporting, model }: TransferMenuProps) {
  const { t } = useTranslation('exports');
  const icons = { size: 16, 'aria-hidden': true } as const;
  return (
    <Menu opened={isOpen} onChange={onOpen} position="bottom-end">
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconUpload {...icons} />} renderRoot={(props) => <Link to={to} {...props} />}>
          {t('buttons.import')}
        </Menu.Item>
        <Menu.Item leftSection={<IconDownload {...icons} />} onClick={exporting.run} disabled={exporting.isRunning}>
          {t('buttons.export')}
        </Menu.Item>
        <Menu.Item leftSection={<IconFileSpreadsheet {...icons} />} onClick={model.run} disabled={model.isRunning}>
          {t('buttons.model')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
