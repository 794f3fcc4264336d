import {
  expect,
  expectHeard,
  expectReady,
  release,
  roomPath,
  TALK_PATIENCE,
  talk,
  talkButton,
  test,
} from '../fixtures.ts';
import { PASSWORD } from '../harness/api.ts';
import { readSound, startPythonClient, writeVoice } from '../harness/python-client.ts';
import { recognise } from '../harness/voice-signal.ts';

const python = String(process.env.PYTHON_CLIENT);

test('a client written from the reference lists channels, talks by both ways of asking, and hears', async ({
  world,
  open,
}, testInfo) => {
  const { api, admin } = world;
  const [lea, ines] = [await api.person('Léa', admin.token), await api.person('Inès', admin.token)];
  const { name, rtcSession } = await api.channel(admin, 'Serpent', [lea, ines]);
  const page = await open(lea, roomPath(rtcSession), { voice: 'up' });
  const who = [world.server.origin, ines.email];
  const lister = startPythonClient(python, who, PASSWORD);
  expect(await lister.ended).toBe(0);
  expect(lister.lines()).toEqual([expect.stringMatching(new RegExp(`^${name}: [01]/2$`, 'u'))]);

  const said = testInfo.outputPath('said.wav');
  writeVoice(said);
  for (const by of ['floor', 'mic']) {
    const heard = testInfo.outputPath(`heard-by-${by}.wav`);
    const client = startPythonClient(python, [...who, name, '--by', by, '--say', said, '--hear', heard], PASSWORD);
    try {
      await expectReady(page, 2);
      // A machine that is too busy for renewals loses the floor, which takes a fresh press.
      await expect(async () => {
        client.tell('stop');
        client.tell('talk');
        await expectHeard(page, 'down', 800, TALK_PATIENCE);
      }).toPass();
      await expect(talkButton(page)).toContainText('Inès');
      client.tell('stop');
      await expect(talkButton(page)).toHaveAttribute('data-state', 'idle');
      await talk(page, () => expect.poll(client.lines, TALK_PATIENCE).toContain('heard 2 s'));
      await release(page);
      client.tell('quit');
      expect(await client.ended).toBe(0);
    } finally {
      client.kill();
    }
    expect(client.lines()).toEqual(expect.arrayContaining(['granted', 'released', `floor ${lea.name}`]));
    // The recording has only the voice: while nobody talked, and during its own talk, the client let nothing through.
    const { up, down } = recognise(readSound(heard));
    expect(up).toBeGreaterThan(800);
    expect(down).toBe(0);
  }
});
