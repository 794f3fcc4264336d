import { logIn, signUpUser } from '@pressel/contract/auth';
import { type Call, type CallInput, type CallReply, TOKEN_HEADER } from '@pressel/contract/call';
import { addUserToChannel, createChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';

export const PASSWORD = 'pressel';

export interface Person {
  id: UserId;
  firstName: string;
  lastName: string;
  email: string;
  token: string;
}

export interface Api {
  call<C extends Call>(call: C, body: CallInput<C>, token?: string): Promise<CallReply<C>>;
  /** Registers and signs in; with a token of an administrator it makes a member. */
  person(firstName: string, creatorToken?: string): Promise<Person>;
  channel(admin: Person, name: string, members?: readonly Person[]): Promise<{ id: ChannelId; rtcSession: string }>;
}

/** Makes the world of a test by the calls of the contract, as an administrator would. */
export function createApi(origin: string): Api {
  const call: Api['call'] = async (definition, body, token) => {
    const response = await fetch(`${origin}${definition.path}`, {
      method: definition.method,
      headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { [TOKEN_HEADER]: token }) },
      ...(definition.method === 'POST' ? { body: JSON.stringify(body) } : {}),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${definition.path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return definition.reply.parse(answer) as CallReply<typeof definition>;
  };
  return {
    call,
    async person(firstName, creatorToken) {
      const lastName = 'Martin';
      const email = `${firstName
        .toLowerCase()
        .normalize('NFD')
        .replace(/[^a-z0-9]/gu, '')}@example.org`;
      const { user } = await call(signUpUser, { firstName, lastName, email, password: PASSWORD }, creatorToken);
      const session = await call(logIn, { user_email: email, user_password: PASSWORD });
      return { id: user.id, firstName, lastName, email, token: session.user.authToken };
    },
    async channel(admin, name, members = []) {
      const { res } = await call(createChannel, { channelName: name }, admin.token);
      for (const { id } of members) await call(addUserToChannel, { userId: id, channelId: res.id }, admin.token);
      return res;
    },
  };
}
