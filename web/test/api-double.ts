import { getServerInfo, isValidToken, type SessionUser } from '@pressel/contract/auth';
import type { Call, CallInput, CallReply } from '@pressel/contract/call';
import { getAllChannels } from '@pressel/contract/channels';
import { getDashboard } from '@pressel/contract/dashboard';
import { getAllUsers } from '@pressel/contract/users';
import type { z } from '@pressel/contract/zod';
import type { AnswerStream, Api, UploadedFile } from '#src/shared/api/api.ts';
import { ApiError } from '#src/shared/api/api-error.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import { dashboardOf } from './dashboard-sample.ts';

export interface ApiDouble extends Api {
  /** Sets the answer of a call. Given answers are checked by the contract's schema; streams are passed on. */
  on<C extends Call>(call: C, answer: (input: z.output<C['body']>) => unknown): void;
  /** Makes a call fail with this error. */
  fail(call: Call, error: ApiError): void;
  /** The inputs of a call so far, oldest first. */
  inputs<C extends Call>(call: C): CallInput<C>[];
  /** The files that were uploaded so far, oldest first. */
  files: readonly UploadedFile[];
  /** Opens a session before the app starts. */
  signIn(storage: AppStorage, user: SessionUser): void;
}

/** A fake API client: answers are set by the test, inputs and answers are checked by the contract's schemas. */
export function createApiDouble(): ApiDouble {
  const answers = new Map<string, (input: unknown) => unknown>();
  const made: { path: string; input: unknown }[] = [];
  const files: UploadedFile[] = [];
  const double: ApiDouble = {
    async call(call, input) {
      made.push({ path: call.path, input });
      const answer = answers.get(call.path);
      if (answer === undefined) throw new Error(`The test gave no answer for ${call.path}.`);
      const body: unknown = call.body.parse(input);
      return call.reply.parse(await answer(body)) as CallReply<typeof call>;
    },
    files,
    async stream(call, input) {
      made.push({ path: call.path, input });
      const answer = answers.get(call.path);
      if (answer === undefined) throw new Error(`The test gave no answer for ${call.path}.`);
      return (await answer(call.body.parse(input))) as AnswerStream;
    },
    async upload(call, input, file, options) {
      files.push(file);
      options?.onProgress?.(0.5);
      return double.call(call, input);
    },
    on(call, answer) {
      answers.set(call.path, answer as (input: unknown) => unknown);
    },
    fail(call, error) {
      answers.set(call.path, () => {
        throw error;
      });
    },
    inputs: (call) => made.filter((one) => one.path === call.path).map((one) => one.input as CallInput<typeof call>),
    signIn(storage, user) {
      storage.openSession(user, 'token-of-the-test', false);
      double.on(isValidToken, () => ({ success: true, user }));
    },
  };
  double.on(getServerInfo, () => serverInfoOf());
  double.on(isValidToken, () => ({ success: false }));
  double.on(getAllChannels, () => ({ success: true, res: [], totalRecords: 0 }));
  double.on(getDashboard, () => ({ success: true, res: dashboardOf({}) }));
  double.on(getAllUsers, () => ({ success: true, res: [], totalRecords: 0, connected: 0 }));
  return double;
}

/** The error of an unreachable server. */
/** A server's information about itself, with these differences. */
export const serverInfoOf = (
  change: Partial<CallReply<typeof getServerInfo>> = {},
): CallReply<typeof getServerInfo> => ({
  version: '2.0.2',
  mode: 'production',
  signup: 'open',
  isFirstUser: false,
  needsSetupCode: false,
  passwordMinLength: 1,
  address: null,
  isSelfSigned: false,
  ...change,
});

export const unreachable = () => new ApiError('unreachable');
