import { cellText, joinChannelNames } from '@pressel/contract/import-rules';
import { roomKey } from '@pressel/contract/text';
import type { ChannelImportOutcome, ChannelRow, UserImportOutcome, UserRow } from '@pressel/contract/transfer';
import { requireFreshProof, type Session } from '#src/accounts/session.ts';
import { actorOf, type RecordActs } from '#src/history/change.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { createYielder, mapInPieces, portionsOf } from '#src/shared/in-pieces.ts';
import { type ChannelImportDeps, importChannels, importUsers, type UserImportDeps } from './import-rows.ts';
import type { ImportEntry, ImportRuns, ImportState } from './import-runs.ts';
import { nearNames } from './near-names.ts';
import * as repository from './transfer.repository.ts';

export interface TransferDeps extends UserImportDeps, ChannelImportDeps {
  runs: ImportRuns;
  record: RecordActs;
  now: () => Date;
}

export type TransferService = ReturnType<typeof createTransferService>;

export function createTransferService(deps: TransferDeps) {
  const { db, runs } = deps;
  const recordExport = (session: Session, type: 'user_export' | 'channel_export', count: number): Promise<void> =>
    deps.record(db, [{ type, user: actorOf(session), details: { count }, at: deps.now() }]);

  return {
    /** All users as rows of a sheet, without passwords. */
    async usersToExport(session: Session) {
      const channels = await repository.listChannelNames(db);
      const rankOf = new Map(channels.map(({ id }, rank) => [id, rank]));
      const rows = [];
      for (const portion of portionsOf(await repository.listUserIdsToExport(db))) {
        const users = await repository.readUsersToExport(db, portion);
        const memberships = await repository.listChannelIdsByUser(db, portion);
        const channelIdsOf = new Map(memberships.map(({ userId, channelIds }) => [userId, channelIds]));
        for (const { id, ...user } of users) {
          const ranks = (channelIdsOf.get(id) ?? []).flatMap((channelId) => rankOf.get(channelId) ?? []);
          const names = ranks.sort((a, b) => a - b).map((rank) => channels[rank]?.name ?? '');
          rows.push({ ...user, password: '' as const, canal: joinChannelNames(names) });
        }
      }
      await recordExport(session, 'user_export', rows.length);
      return rows;
    },

    async channelsToExport(session: Session) {
      const channels = await repository.listChannelNames(db);
      await recordExport(session, 'channel_export', channels.length);
      return channels.map(({ name }) => ({ name }));
    },

    /** The given logins and names that exist, spelled as given, and names that are near the others. */
    async existing(identifiers: readonly string[], channelNames: readonly string[]) {
      const logins = await mapInPieces(identifiers, createYielder(), (text) => cellText(text).toLowerCase());
      const keys = await mapInPieces(channelNames, createYielder(), roomKey);
      const knownLogins = await repository.existingLogins(db, logins);
      const knownKeys = await repository.existingKeys(db, keys);
      const unknown = channelNames.filter((_, index) => !knownKeys.has(keys[index] ?? ''));
      const channels = unknown.length === 0 ? [] : await repository.listChannelNames(db);
      return {
        identifiers: identifiers.filter((_, index) => knownLogins.has(logins[index] ?? '')),
        channelNames: channelNames.filter((_, index) => knownKeys.has(keys[index] ?? '')),
        near: await nearNames(
          unknown,
          channels.map(({ name }) => name),
        ),
      };
    },

    async importUsers(
      session: Session,
      {
        rows,
        withAdmins,
        importId = uuidV7(),
      }: { rows: readonly UserRow[]; withAdmins: boolean; importId: string | undefined },
    ): Promise<UserImportOutcome> {
      if (withAdmins) requireFreshProof(session, deps.now());
      const { outcome } = await runs.run(session.userId, { importId, kind: 'users' }, async (run) => {
        return { state: 'users' as const, outcome: await importUsers(deps, run, session, { rows, withAdmins }) };
      });
      return outcome;
    },

    async importChannels(
      session: Session,
      rows: readonly ChannelRow[],
      importId: string = uuidV7(),
    ): Promise<ChannelImportOutcome> {
      const { outcome } = await runs.run(session.userId, { importId, kind: 'channels' }, async (run) => {
        return { state: 'channels' as const, outcome: await importChannels(deps, run, session, rows) };
      });
      return outcome;
    },

    listImports: (session: Session): Promise<ImportEntry[]> => runs.list(session.userId),

    async findImport(session: Session, importId: string): Promise<ImportState> {
      const state = await runs.find(session.userId, importId);
      if (state === null) throw new AppError('not_found', { what: 'import' });
      return state;
    },

    async cancelImport(session: Session, importId: string): Promise<boolean> {
      const cancelled = await runs.cancel(session.userId, importId);
      if (cancelled === null) throw new AppError('not_found', { what: 'import' });
      return cancelled;
    },
  };
}
