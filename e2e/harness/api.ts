import { logIn, signUpUser } from '@pressel/contract/auth';
import { type Call, type CallInput, type CallReply, TOKEN_HEADER } from '@pressel/contract/call';
import { createChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';

export const PASSWORD = 'pressel';

export interface Person {
  id: UserId;
  firstName: string;
  lastName: string;
  /** First and last name, as lists and tiles show them. */
  name: string;
  email: string;
  token: string;
}

export interface Api {
  call<C extends Call>(call: C, body: CallInput<C>, token?: string): Promise<CallReply<C>>;
  /** Registers and signs in; with an administrator's token it makes a member. */
  person(firstName: string, creatorToken?: string): Promise<Person>;
  channel(admin: Person, name: string, members?: readonly Person[]): Promise<Channel>;
}

export interface Channel {
  id: ChannelId;
  name: string;
  rtcSession: string;
}

/**
 * Makes the world of a test by the calls of the contract, as an administrator would. `own` makes last names, logins and
 * names of channels unique to a test, because several tests share a server.
 */
export function createApi(origin: string, own = (name: string) => name): Api {
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
      const lastName = own('Martin');
      const email = `${own(firstName)
        .toLowerCase()
        .normalize('NFD')
        .replace(/[^a-z0-9]/gu, '')}@example.org`;
      const { user } = await call(signUpUser, { firstName, lastName, email, password: PASSWORD }, creatorToken);
      const session = await call(logIn, { user_email: email, user_password: PASSWORD });
      const name = `${firstName} ${lastName}`;
      return { id: user.id, firstName, lastName, name, email, token: session.user.authToken };
    },
    async channel(admin, name, members = []) {
      const userList = members.map(({ id }) => id);
      const { res } = await call(createChannel, { channelName: own(name), userList }, admin.token);
      return { ...res, name: own(name) };
    },
  };
}
