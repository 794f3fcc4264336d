import { fireEvent, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { stubLayout } from '#test/stub-layout.ts';
import { WithVoiceWords } from '#test/with-voice-words.tsx';
import type { Panel } from './panel-names.ts';
import { arrange, DEFAULT_FRAME, type FrameWidth } from './panels.rules.ts';
import { RoomFrame } from './room-frame.tsx';

const HEIGHT = 1_400;

/**
 * Shows the room at a middle width, where the map is below who is here. It scrolls to the requested place once `arrive`
 * is called.
 */
function show(address?: Panel) {
  stubLayout();
  vi.spyOn(Element.prototype, 'scrollHeight', 'get').mockReturnValue(HEIGHT);
  const tops: (number | undefined)[] = [];
  let arrive = () => {};
  Object.defineProperty(Element.prototype, 'scrollTo', {
    configurable: true,
    value(this: Element, { top }: ScrollToOptions) {
      tops.push(top);
      this.scrollTop = top ?? 0;
      arrive = () => void fireEvent.scroll(this);
    },
  });
  const wants: (Panel | undefined)[] = [];
  const frame = (mapCalls: number, width: FrameWidth = 'middle', wanted = address) => (
    <WithVoiceWords>
      <RoomFrame
        width={width}
        arrangement={arrange({ width, hasMap: true, wanted, folded: [] })}
        frame={DEFAULT_FRAME}
        panels={{
          ...{ map: <p>la carte</p>, membersCount: null, talks: null, unread: null },
          ...{ messages: <input aria-label="Légende" />, members: null },
        }}
        people={<p>les présents</p>}
        strip={<p>qui parle, qui attend</p>}
        dock={null}
        mapCalls={mapCalls}
        isMapWanted={wanted === 'map'}
        onWidth={() => undefined}
        onWant={(panel) => wants.push(panel)}
        onFoldSide={() => undefined}
      />
    </WithVoiceWords>
  );
  const { rerender } = render(frame(0));
  return {
    tops,
    wants,
    arrive: () => arrive(),
    callForMap: (times: number) => rerender(frame(times)),
    showMessagesAt: (width: FrameWidth) => rerender(frame(0, width, 'messages')),
    showPeopleAt: (width: FrameWidth) => rerender(frame(0, width, undefined)),
  };
}

test('[ROOM1] [ROOM8] a button scrolls to the map, which is loaded by then, and back', async () => {
  const { tops, arrive } = show();
  expect(screen.queryByText('la carte')).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Aller à la carte' }));
  expect(tops).toEqual([HEIGHT]);
  arrive();
  expect(screen.getByText('la carte')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Revenir aux présents' }));
  expect(tops).toEqual([HEIGHT, 0]);
  arrive();
  expect(screen.getByRole('button', { name: 'Aller à la carte' })).toBeVisible();
});

test('[ROOM2] the map that is scrolled to has who talks and who waits above it: the tiles are out of sight', async () => {
  const { arrive } = show();
  expect(screen.queryByText('qui parle, qui attend')).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Aller à la carte' }));
  arrive();
  const map = within(screen.getByRole('region', { name: 'Carte' }));
  const strip = map.getByText('qui parle, qui attend');
  expect(strip.compareDocumentPosition(map.getByText('la carte'))).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
});

test('[ROOM21] each call for somebody’s place scrolls to the map', () => {
  const { tops, callForMap } = show();
  callForMap(1);
  callForMap(1);
  callForMap(2);
  expect(tops).toEqual([HEIGHT, HEIGHT]);
});

test('[ROOM6] an address that names the map leads down to it, until one goes back up', async () => {
  const { tops, wants, arrive } = show('map');
  expect(tops).toEqual([HEIGHT]);
  arrive();
  expect(screen.getByText('la carte')).toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Revenir aux présents' }));
  expect(tops).toEqual([HEIGHT, 0]);
  expect(wants).toEqual([undefined]);
});

test('[ROOM7] what was begun in a panel is still there when the window gets narrower or wider', async () => {
  const { showMessagesAt } = show();
  showMessagesAt('middle');
  await userEvent.type(screen.getByLabelText('Légende'), 'Quai nord');
  for (const width of ['narrow', 'middle', 'wide'] as const) {
    showMessagesAt(width);
    expect(screen.getByLabelText('Légende'), width).toHaveValue('Quai nord');
  }
});

test('[ROOM1] a swipe leads to the next tab although the room is rendered again meanwhile', () => {
  const { wants, showPeopleAt } = show();
  showPeopleAt('narrow');
  const shown = screen.getByText('les présents');
  fireEvent.touchStart(shown, { targetTouches: [{ clientX: 330, clientY: 300 }] });
  showPeopleAt('narrow');
  fireEvent.touchEnd(shown, { changedTouches: [{ clientX: 60, clientY: 300 }] });
  expect(wants).toEqual(['messages']);
});

test('[ROOM1] a swipe leads to the next tab although what the finger began on is gone meanwhile', () => {
  const { wants, showPeopleAt } = show();
  showPeopleAt('narrow');
  const shown = screen.getByText('les présents');
  fireEvent.touchStart(shown, { targetTouches: [{ clientX: 330, clientY: 300 }] });
  shown.remove();
  fireEvent.touchEnd(shown, { changedTouches: [{ clientX: 60, clientY: 300 }] });
  expect(wants).toEqual(['messages']);
});
