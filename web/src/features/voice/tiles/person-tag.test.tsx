import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ServicesProvider } from '#src/shared/services.tsx';
import { createSession } from '#src/shared/session.ts';
import { createStorage } from '#src/shared/storage.ts';
import { createApiDouble } from '#test/api-double.ts';
import { person, roomSource } from '#test/fake-room-session.ts';
import { NO_RENEWAL } from '#test/no-renewal.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import { createLevelMeter } from '../level-meter.ts';
import { ParticipantTile } from './participant-tile.tsx';
import { TalkerStrip } from './talker-strip.tsx';
import { VideoTile } from './video-tile.tsx';

const guest = { name: 'Julie', link: 'Pompiers' };
const julie = person(1, { name: 'Julie (Pompiers)', guest, isTalking: true, video: 'off' });
const tile = { levels: createLevelMeter(() => 0), onVolume: () => undefined, canSetVolume: true };

test.each(['fr', 'en', 'de'] as const)(
  '[GUEST8] a guest is marked on each tile and in the strip, in %s',
  (language) => {
    const word = { fr: 'Accès invité', en: 'Guest', de: 'Gast' }[language];
    const strip = { fr: 'Julie (accès invité) parle', en: 'Julie (guest) is talking', de: 'Julie (Gast) spricht' }[
      language
    ];
    const storage = createStorage({ local: window.localStorage, session: window.sessionStorage });
    storage.writePreference('language', language);
    const api = createApiDouble();
    render(
      <WithVoiceWords language={language}>
        <ul>
          <ParticipantTile participant={julie} canTalk {...tile} />
          <VideoTile participant={julie} track={undefined} isStaged={false} {...tile} />
          <ParticipantTile participant={person(2, { name: 'Max' })} canTalk {...tile} />
        </ul>
        <ServicesProvider services={{ api, session: createSession({ api, storage }), storage, renewal: NO_RENEWAL }}>
          <TalkerStrip room={roomSource({ participants: [julie] })} />
        </ServicesProvider>
      </WithVoiceWords>,
    );
    expect(screen.getAllByText(word)).toHaveLength(2);
    // The initials are the guest's, not the link's.
    expect(screen.getAllByText('J')).toHaveLength(2);
    expect(screen.getByText(strip), 'its whole text, where it is cut').toHaveAttribute('title', strip);
  },
);

test('[ROOM21] each tile has the initials of the name alone', () => {
  const camille = person(1, { name: 'PC 1', initialsOf: 'Camille Aubert', video: 'off' });
  render(
    <WithVoiceWords>
      <ul>
        <ParticipantTile participant={camille} canTalk {...tile} />
        <VideoTile participant={camille} track={undefined} isStaged={false} {...tile} />
      </ul>
    </WithVoiceWords>,
  );
  expect(screen.getAllByText('PC 1')).toHaveLength(2);
  expect(screen.getAllByText('CA')).toHaveLength(2);
});

test.each(['fr', 'en', 'de'] as const)(
  '[TALK52] oneself on another device is marked on each tile, in %s',
  (language) => {
    const words = { fr: 'Vous, ailleurs', en: 'You, elsewhere', de: 'Sie, woanders' }[language];
    const elsewhere = person(1, { name: 'Max', isOwnOther: true, video: 'off' });
    render(
      <WithVoiceWords language={language}>
        <ul>
          <ParticipantTile participant={elsewhere} canTalk {...tile} />
          <VideoTile participant={elsewhere} track={undefined} isStaged={false} {...tile} />
          <ParticipantTile participant={person(2, { name: 'Max' })} canTalk {...tile} />
        </ul>
      </WithVoiceWords>,
    );
    const marked = screen.getAllByRole('listitem').map((item) => item.textContent.includes(words));
    expect(marked).toEqual([true, true, false]);
  },
);

test.each(['fr', 'en', 'de'] as const)(
  '[VID13] on the radio a tile says who shows a camera or a screen, in %s',
  (language) => {
    const words = { fr: ['Caméra', 'Écran'], en: ['Camera', 'Screen'], de: ['Kamera', 'Bildschirm'] }[language];
    const shown = (['camera', 'screen', 'off', null] as const).map((video, index) => person(index, { video }));
    render(
      <WithVoiceWords language={language}>
        <ul>
          {shown.map((one) => (
            <ParticipantTile key={one.id} participant={one} canTalk {...tile} />
          ))}
        </ul>
      </WithVoiceWords>,
    );
    const tags = screen
      .getAllByRole('listitem')
      .map((item) =>
        words.filter((word) => [...item.querySelectorAll('span')].some((one) => one.textContent === word)),
      );
    expect(tags).toEqual([[words[0]], [words[1]], [], []]);
  },
);
