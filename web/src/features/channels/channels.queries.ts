import { type Channel, getAllChannels } from '@pressel/contract/channels';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';

/** The channels that the signed-in user may see, by name. */
export const channelsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['channels'],
    queryFn: async ({ signal }): Promise<Channel[]> => (await api.call(getAllChannels, {}, { signal })).res,
  });
