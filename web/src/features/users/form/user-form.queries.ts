import { verifyPassword } from '@pressel/contract/auth';
import { getAllChannels } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { getUserById, type User } from '@pressel/contract/users';
import { queryOptions, useMutation } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';
import { USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { useApi, useUser } from '#src/shared/services.tsx';

/** One user with their channels, read anew whenever a form opens. */
export const userQuery = (api: Api, userId: UserId) =>
  queryOptions({
    queryKey: [...USERS_KEY, 'one', userId],
    queryFn: async ({ signal }): Promise<User> => (await api.call(getUserById, { userId }, { signal })).res,
    staleTime: 0,
    gcTime: 0,
  });

/** Returns those of some channels that still exist. */
export async function channelsStillThere(api: Api, ids: Iterable<ChannelId>): Promise<ReadonlySet<ChannelId>> {
  const known = new Set((await api.call(getAllChannels, {})).res.map(({ id }) => id));
  return new Set([...ids].filter((id) => known.has(id)));
}

/** Checks whether a password is the signed-in user's; the server limits it like sign-in. */
export function usePasswordCheck() {
  const api = useApi();
  const { id } = useUser();
  return useMutation({
    mutationFn: async ({ password, keep }: { password: string; keep: boolean }) =>
      (await api.call(verifyPassword, { id, password, keep })).result,
  });
}
