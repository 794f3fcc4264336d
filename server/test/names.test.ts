import { signUpUser } from '@pressel/contract/auth';
import { createChannel, getAllChannels, updateChannel } from '@pressel/contract/channels';
import { createMultipleChannels, createMultipleUsers } from '@pressel/contract/transfer';
import { getAllUsers, getUserById, updateUserData } from '@pressel/contract/users';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from './build-test-app.ts';
import { enterRoom, makeTeam, type Team } from './factories.ts';
import { enterByLink, makeLink } from './guests.ts';
import { postForm } from './upload.ts';

/** Closes the isolate around a name, and reverses the text that follows. */
const EVIL = '\u2069\u202e';
const PERSIAN = 'می\u200cخواهم';
const FAMILY = '👨\u200d👩\u200d👧';

describe('[NAME1] [NAME2] what people type as a name is cleaned by the server', () => {
  let t: TestApp;
  let team: Team;
  beforeAll(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterAll(() => t.close());

  const nameOfChannel = async (id: string) =>
    (await t.call(getAllChannels, {}, team.admin.token)).body.res.find((one) => one.id === id)?.name;

  test('of an account, when it is created and when it is changed', async () => {
    const made = await t.call(
      signUpUser,
      {
        firstName: `Eve${EVIL}zyx`,
        lastName: `\u200b${PERSIAN}`,
        email: 'eve@example.org',
        password: 'secret-1',
        pseudo: `${FAMILY}${EVIL}`,
        phone_number: '\u202a+33 6 01\u202c',
      },
      team.admin.token,
    );
    expect(made.status).toBe(200);
    const { body } = await t.call(getUserById, { userId: made.body.user.id }, team.admin.token);
    expect(body.res).toMatchObject({
      ...{ firstName: 'Evezyx', lastName: PERSIAN, pseudo: FAMILY, display_name: FAMILY, phone_number: '+33 6 01' },
    });

    const edit = { id: team.bo.id, firstName: `B${EVIL}o`, lastName: 'R\to\u0007e', pseudo: '\u200b' };
    await t.call(updateUserData, edit, team.bo.token);
    const bo = await t.call(getUserById, { userId: team.bo.id }, team.bo.token);
    expect(bo.body.res).toMatchObject({ firstName: 'Bo', lastName: 'R oe', pseudo: '', display_name: 'Bo R oe' });
  });

  test('is refused when nothing of it can be seen', async () => {
    for (const firstName of [EVIL, '\u200d', '\ufe0f', '\u3164 \u2800']) {
      const edit = { id: team.out.id, firstName, lastName: 'x' };
      expect(await t.call(updateUserData, edit, team.out.token)).toMatchObject({ status: 400 });
    }
  });

  test('of a channel, whose key stays that of its name', async () => {
    const { body } = await t.call(createChannel, { channelName: `Po${EVIL}mpiers` }, team.admin.token);
    expect(body.res.rtcSession).toBe('Pompiers');
    expect(await nameOfChannel(body.res.id)).toBe('Pompiers');
    const again = await t.call(createChannel, { channelName: `Pompiers\u200d` }, team.admin.token);
    expect(again).toMatchObject({ status: 409, body: { code: 'duplicate_channel' } });
    const renamed = { channelId: body.res.id, channelName: `${FAMILY} ${PERSIAN}${EVIL}` };
    await t.call(updateChannel, renamed, team.admin.token);
    expect(await nameOfChannel(body.res.id)).toBe(`${FAMILY} ${PERSIAN}`);
  });

  test('in an import', async () => {
    const row = { identifier: 'imp@example.org', password: 'secret-1', mapRight: 'oui', canal: `No${EVIL}rd` };
    const userData = [{ ...row, firstName: `I${EVIL}da`, lastName: PERSIAN, pseudo: `${FAMILY}\n1` }];
    const users = await t.call(createMultipleUsers, { userData }, team.admin.token);
    const created = users.body.createdUsers[0];
    if (created === undefined) throw new Error(JSON.stringify(users.body));
    const { body } = await t.call(getUserById, { userId: created.id }, team.admin.token);
    expect(body.res).toMatchObject({ firstName: 'Ida', lastName: PERSIAN, pseudo: `${FAMILY} 1` });
    expect(body.res.channels?.map(({ name }) => name)).toEqual(['Nord']);
    const channelData = [{ name: `Su${EVIL}d` }, { name: `O${EVIL}st` }];
    const channels = await t.call(createMultipleChannels, { channelData }, team.admin.token);
    expect(channels.body).toMatchObject({ channelsCreated: [{ name: 'Ost' }], existingChannels: [{ name: 'Sud' }] });
  });

  test('of a guest and of their link', async () => {
    const link = await makeLink(t, team.admin, team.nord, `Po${EVIL}mpiers`);
    expect(link.name).toBe('Pompiers');
    const host = await enterRoom(t, team.admin, 'Nord');
    const joined = host.next('user joined');
    const guest = await enterByLink(t, link, 'Nord', `Ju${EVIL}lie`);
    expect(await joined).toMatchObject({ name: 'Julie (Pompiers)', guest: { name: 'Julie', link: 'Pompiers' } });
    guest.close();
    host.close();
  });

  test('of an image', async () => {
    const image = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const parts = [['channelId', team.nord] as const, ['textMsg', ''] as const];
    const { body } = await postForm(
      t.origin,
      [...parts, ['image', image, `C:\\${FAMILY}${EVIL}gnp.jpg`]],
      team.ana.token,
    );
    expect(body.message.file?.fileName).toBe(`${FAMILY}gnp.webp`);
  });

  test('and so is what is looked for: a name that was copied with what isolates it is found', async () => {
    const { body } = await t.call(getAllUsers, { filter: '\u2068Ana\u2069', limit: 10, start: 0 }, team.admin.token);
    expect(body.res.map(({ firstName }) => firstName)).toEqual(['Ana']);
  });
});
