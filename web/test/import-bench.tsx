import { checkImport, getImport, listImports } from '@pressel/contract/transfer';
import { configure, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { readSheets } from '#src/features/transfer/sheet/read-sheet.ts';
import { SheetError, type SheetReading, type SheetRequest } from '#src/features/transfer/sheet/sheet.ts';
import type { TextSheet } from '#src/features/transfer/sheet/transfer-sheets.ts';
import { ApiError } from '#src/shared/api/api-error.ts';
import { type AppUnderTest, renderApp } from './render-app.tsx';
import { stubLayout } from './stub-layout.ts';
import { stubWorkers } from './worker-double.ts';

export const HEADER = 'Prénom;Nom;Login;Pseudo;Mot de passe;Droit carte;canal';
export const CSV = [
  HEADER,
  'Léa;Martin;lea@example.org;LEA;secret;vrai;Nord',
  'Hugo;;hugo@example.org;HUG;secret;faux;',
  'Inès;Noir;ines@example.org;INE;secret;faux;',
].join('\n');

/** Sets up the import's page with workers of its own: a form feed in a file begins another sheet. Call once per file. */
export function setUpImportBench(): {
  written: () => readonly TextSheet[];
  /** Delays the reading of files chosen or reread from now on until `until` is settled. @returns these readings */
  hold: (until: Promise<void>) => readonly Promise<unknown>[];
} {
  let written: readonly TextSheet[] = [];
  let held: { until: Promise<void>; readings: Promise<unknown>[] } | undefined;
  // Each step renders a whole table, which is slow on a busy machine.
  configure({ asyncUtilTimeout: 5_000 });
  vi.setConfig({ testTimeout: 30_000 });
  beforeEach(() => {
    written = [];
    held = undefined;
    stubLayout();
    URL.createObjectURL = () => 'blob:sheet';
    URL.revokeObjectURL = () => {};
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
    stubWorkers(async (script, message) => {
      if (script === 'workbook-worker.ts') {
        written = message as readonly TextSheet[];
        return new Blob(['x']);
      }
      const reading = readPages(message as SheetRequest, held?.until);
      held?.readings.push(reading);
      return await reading;
    });
  });
  afterEach(() => vi.unstubAllGlobals());
  return {
    written: () => written,
    hold(until) {
      held = { until, readings: [] };
      return held.readings;
    },
  };
}

async function readPages({ bytes, options }: SheetRequest, until: Promise<void> | undefined): Promise<SheetReading> {
  await until;
  try {
    const pages = new TextDecoder().decode(bytes).split('\f');
    const read = await Promise.all(pages.map((page) => readSheets(new TextEncoder().encode(page), options)));
    return { ok: true, sheets: read.flat().map((one, index) => ({ ...one, name: `Page ${index + 1}` })) };
  } catch (error) {
    return { ok: false, fault: error instanceof SheetError ? error.fault : 'unreadable' };
  }
}

export const openImport = (prepare: Parameters<typeof renderApp>[0]['prepare'] = () => {}) =>
  renderApp({
    at: '/usersList/import',
    signedIn: {},
    prepare(api) {
      api.on(checkImport, ({ identifiers, channelNames }) => ({
        success: true,
        identifiers: identifiers.filter((one) => one.startsWith('ines')),
        channelNames: channelNames.filter((one) => one === 'Nord'),
        near: [],
      }));
      api.fail(getImport, new ApiError('not_found'));
      api.on(listImports, () => ({ success: true, res: [] }));
      prepare(api);
    },
  });

export async function choose(app: AppUnderTest, text = CSV): Promise<void> {
  await screen.findByRole('button', { name: 'Choisir un fichier' });
  const input = app.container.querySelector<HTMLInputElement>('input[type=file]');
  if (input === null) throw new Error('No file input');
  await app.user.upload(input, new File([text], 'équipe.csv', { type: 'text/csv' }));
}

export const chip = (name: string) => screen.findByRole('button', { name });
export const rowOf = (number: string) => {
  const row = screen.getByRole('rowheader', { name: number }).closest('tr');
  if (row === null) throw new Error(`No row ${number}`);
  return within(row);
};
