import { verifyPassword } from '@pressel/contract/auth';
import { useMutation } from '@tanstack/react-query';
import { useApi, useUser } from '#src/shared/services.tsx';

/** Checks whether a password is the signed-in user's; the server limits it like sign-in. */
export function usePasswordCheck() {
  const api = useApi();
  const { id } = useUser();
  return useMutation({
    mutationFn: async ({ password, keep }: { password: string; keep: boolean }) =>
      (await api.call(verifyPassword, { id, password, keep })).result,
  });
}
