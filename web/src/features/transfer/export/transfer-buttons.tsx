import { ActionIcon, Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  CHANNEL_NAME_MAX_LENGTH,
  LOGIN_MAX_LENGTH,
  LOGIN_MIN_LENGTH,
  NAME_MAX_LENGTH,
  PASSWORD_MAX_LENGTH,
} from '@pressel/contract/limits';
import { getChannelsToExport, getListUsersToExport, USER_FIELDS } from '@pressel/contract/transfer';
import { IconDots, IconDownload, IconFileSpreadsheet, IconUpload } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Translate } from '#src/shared/i18n/i18n.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { loadableChunk } from '#src/shared/renewal.ts';
import { useApi } from '#src/shared/services.tsx';
import { useMadeMenu } from '#src/shared/ui/use-made-menu.ts';
import { ALL_FIELDS, IMPORT_PATHS, type ImportKind } from '../sheet/import-kinds.ts';
import { type CellsOf, type ModelWords, modelSheetsOf, sheetOf } from '../sheet/transfer-sheets.ts';
import type { TransferAct } from './transfer-menu.tsx';
import { useSaveWorkbook } from './use-save-workbook.ts';

/** Time limit of an export, longer than the default because it reads every row. */
const EXPORT_TIMEOUT_MS = 60_000;

/** Import, export and template buttons for the list of users. */
export const UserTransferButtons = () => <TransferButtons kind="users" />;

/** The same for the list of channels. */
export const ChannelTransferButtons = () => <TransferButtons kind="channels" />;

const loadTransferMenu = loadableChunk(() => import('./transfer-menu.tsx'));

/** Phones, and widths where a list's head is one line without room for three buttons. */
const CROWDED = '(max-width: 1199px)';

/** The three buttons; in a menu where it is crowded. */
function TransferButtons({ kind }: { kind: ImportKind }) {
  const { t } = useTranslation('exports');
  const isCrowded = useMediaQuery(CROWDED, false, { getInitialValueInEffect: false });
  const { buttonRef, made, isOpen, setOpen, opens } = useMadeMenu(loadTransferMenu);
  const exporting = useExport(kind);
  const model = useModel(kind);
  const to = IMPORT_PATHS[kind];
  const icons = { size: 16, 'aria-hidden': true } as const;
  if (isCrowded) {
    const button = (
      <ActionIcon ref={buttonRef} variant="default" size="var(--control)" aria-label={t('buttons.menu')} {...opens}>
        <IconDots size={18} aria-hidden="true" />
      </ActionIcon>
    );
    if (made === undefined) return button;
    return (
      <made.TransferMenu button={button} isOpen={isOpen} onOpen={setOpen} to={to} exporting={exporting} model={model} />
    );
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconUpload {...icons} />}
        renderRoot={(props) => <Link to={to} {...props} />}
      >
        {t('buttons.import')}
      </Button>
      <Button
        variant="default"
        leftSection={<IconDownload {...icons} />}
        loading={exporting.isRunning}
        onClick={exporting.run}
      >
        {t('buttons.export')}
      </Button>
      <ModelButton kind={kind} />
    </>
  );
}

/** Downloads the template. */
export function ModelButton({ kind }: { kind: ImportKind }) {
  const { t } = useTranslation('exports');
  const model = useModel(kind);
  return (
    <Button
      variant="default"
      leftSection={<IconFileSpreadsheet size={16} aria-hidden="true" />}
      loading={model.isRunning}
      onClick={model.run}
    >
      {t('buttons.model')}
    </Button>
  );
}

function useExport(kind: ImportKind): TransferAct {
  const { t } = useTranslation('exports');
  const api = useApi();
  const { save, isSaving } = useSaveWorkbook();
  const options = { timeoutMs: EXPORT_TIMEOUT_MS };
  const read = async (): Promise<CellsOf[]> => {
    if (kind === 'channels') return (await api.call(getChannelsToExport, {}, options)).res;
    const { res } = await api.call(getListUsersToExport, {}, options);
    return res.map((user) => ({ ...user, mapRight: String(user.mapRight) }));
  };
  return {
    run: () =>
      save(t(`file.${kind}`), async () => [
        sheetOf(kind, t(kind === 'users' ? 'file.sheetUsers' : 'file.sheetChannels'), await read(), ALL_FIELDS[kind]),
      ]),
    isRunning: isSaving,
  };
}

function useModel(kind: ImportKind): TransferAct {
  const { t } = useTranslation('exports');
  const { save, isSaving } = useSaveWorkbook();
  return {
    run: () => save(t('file.model'), async () => modelSheetsOf(kind, modelWords(kind, t))),
    isRunning: isSaving,
  };
}

/** The columns that the template explains: those that it has. */
const HELPED = { users: USER_FIELDS, channels: ['name'] } as const;

const LENGTHS = {
  name: NAME_MAX_LENGTH,
  channel: CHANNEL_NAME_MAX_LENGTH,
  password: PASSWORD_MAX_LENGTH,
  loginMin: LOGIN_MIN_LENGTH,
  loginMax: LOGIN_MAX_LENGTH,
};

function modelWords(kind: ImportKind, t: Translate<'exports'>): ModelWords {
  return {
    sheet: t(kind === 'users' ? 'file.sheetUsers' : 'file.sheetChannels'),
    help: t('file.help'),
    column: t('file.helpColumn'),
    allowed: t('file.helpAllowed'),
    example: {
      firstName: t('file.exampleFirstName'),
      lastName: t('file.exampleLastName'),
      identifier: t('file.exampleIdentifier'),
      pseudo: t('file.examplePseudo'),
      password: t('file.examplePassword'),
      mapRight: t('file.exampleMapRight'),
      canal: t('file.exampleChannel'),
      name: t('file.exampleChannel'),
    },
    mapRights: [t('file.exampleMapRight'), t('file.noMapRight')],
    fields: Object.fromEntries(HELPED[kind].map((field) => [field, t(`file.help_${field}`, LENGTHS)])),
  };
}
