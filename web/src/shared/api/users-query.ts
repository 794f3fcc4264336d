import { getAllUsers, type User } from '@pressel/contract/users';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from './api.ts';

/** Every user, by last name then first name. Administrators only; several features pick people from it. */
export const usersQuery = (api: Api) =>
  queryOptions({
    queryKey: ['users'],
    queryFn: async ({ signal }): Promise<User[]> => (await api.call(getAllUsers, {}, { signal })).res,
  });

/** How a user is named in lists: first and last name, else the login. */
export const fullName = (user: Pick<User, 'firstName' | 'lastName' | 'identifier'>): string =>
  `${user.firstName} ${user.lastName}`.trim() || user.identifier;
