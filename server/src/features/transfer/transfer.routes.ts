import {
  cancelImport,
  checkImport,
  createMultipleChannels,
  createMultipleUsers,
  getChannelsToExport,
  getImport,
  getListUsersToExport,
  listImports,
} from '@pressel/contract/transfer';
import type { ServeCall } from '#src/http/call-server.ts';
import type { TransferService } from './transfer.service.ts';

export function transferRoutes(serve: ServeCall, { transfer }: { transfer: TransferService }): void {
  serve(getListUsersToExport, async (_body, { session }) => ({
    success: true,
    res: await transfer.usersToExport(session),
  }));

  serve(getChannelsToExport, async (_body, { session }) => ({
    success: true,
    res: await transfer.channelsToExport(session),
  }));

  serve(checkImport, async ({ identifiers, channelNames }) => ({
    success: true as const,
    ...(await transfer.existing(identifiers, channelNames)),
  }));

  serve(createMultipleUsers, async ({ userData, importId, withAdmins }, { session }) => {
    const { created, existing, rejected, repeated } = await transfer.importUsers(session, {
      rows: userData,
      withAdmins,
      importId,
    });
    return {
      success: true as const,
      createdUsers: created,
      existingUsers: existing,
      rejectedUsers: rejected,
      repeatedUsers: repeated,
    };
  });

  serve(createMultipleChannels, async ({ channelData, importId }, { session }) => {
    const { created, existing, rejected, repeated } = await transfer.importChannels(session, channelData, importId);
    return {
      success: true as const,
      channelsCreated: created,
      existingChannels: existing,
      rejectedChannels: rejected,
      repeatedChannels: repeated,
    };
  });

  serve(listImports, async (_body, { session }) => ({
    success: true as const,
    res: await transfer.listImports(session),
  }));

  serve(getImport, async ({ importId }, { session }) => ({
    success: true as const,
    res: await transfer.findImport(session, importId),
  }));

  serve(cancelImport, async ({ importId }, { session }) => ({
    success: true as const,
    cancelled: await transfer.cancelImport(session, importId),
  }));
}
