/** The page of each import. */
export const IMPORT_PATHS = { users: '/usersList/import', channels: '/channelsList/import' } as const;
