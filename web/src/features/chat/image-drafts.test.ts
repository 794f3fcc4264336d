// @vitest-environment node
import { afterEach, expect, test, vi } from 'vitest';
import { draftDatabase } from '#src/shared/draft-database.ts';
import type { PrepareImage } from '#src/shared/images/prepare.ts';
import type { ImageFault, Preparation } from '#src/shared/images/shrink.ts';
import { CHANNEL, ME, OTHER } from '#test/chat-bench.ts';
import { setUpDatabase } from '#test/fake-database.ts';
import { sampleId } from '#test/samples.ts';
import { KEPT_CHANNELS, openImageDrafts, SIZE_FAULT_MS } from './image-drafts.ts';

setUpDatabase();
afterEach(() => {
  vi.useRealTimers();
});

const file = (name: string, bytes = 'x') => new File([bytes], name);
const READY: Preparation = { ok: true, image: { blob: new Blob(['smaller']), width: 2, height: 1 } };
const ready: PrepareImage = async () => READY;
const settle = () => vi.advanceTimersByTimeAsync(0);

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
/** A page of this user. */
function openPage(prepare: PrepareImage = ready, userId: string = ME) {
  const page = new EventTarget();
  const drafts = openImageDrafts({ userId, prepare, page: page as Window });
  opened.push(drafts);
  return {
    draft: drafts.of(CHANNEL),
    drafts,
    asksBeforeLeaving: () => !page.dispatchEvent(new Event('beforeunload', { cancelable: true })),
  };
}
const kept = (userId: string = ME) => draftDatabase.get(`image.${CHANNEL}`, userId);

/** A device that keeps nothing, as in some private windows. */
const withoutDevice = () => vi.stubGlobal('indexedDB', undefined);

test.each<[ImageFault, boolean]>([
  ['size', false],
  ['type', true],
  ['animated', true],
  ['unreadable', true],
])('[CHATS40] a fault «%s» stays until another image is chosen: %s', async (fault, stays) => {
  withoutDevice();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { draft } = openPage(async () => ({ ok: false, fault }));
  draft.take([file('a.png')]);
  await settle();
  expect(draft.getSnapshot()).toMatchObject({ image: undefined, preparing: undefined, fault });
  await vi.advanceTimersByTimeAsync(SIZE_FAULT_MS);
  expect(draft.getSnapshot()).toMatchObject({ image: undefined, fault: stays ? fault : undefined });
});

test('[CHATS40] of several files none is taken', () => {
  withoutDevice();
  const { draft } = openPage();
  draft.take([file('a.png'), file('b.png')]);
  expect(draft.getSnapshot()).toMatchObject({ image: undefined, preparing: undefined, fault: 'many' });
});

test('[CHATS40] the last chosen one counts, whichever is ready first', async () => {
  withoutDevice();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answers: ((answer: Preparation) => void)[] = [];
  const { draft } = openPage(() => new Promise((resolve) => answers.push(resolve)));
  draft.take([file('first.png')]);
  draft.take([file('second.png')]);
  answers[1]?.(READY);
  await settle();
  answers[0]?.({ ok: false, fault: 'unreadable' });
  await settle();
  expect(draft.getSnapshot()).toMatchObject({ image: { name: 'second.png' }, fault: undefined });
});

test('[CHATS46] what is chosen and written is there for another page of the same user, and for nobody else', async () => {
  const { draft } = openPage();
  draft.take([file('door.jpg')]);
  draft.write('The south');
  draft.write('The south door');
  await vi.waitFor(async () => expect(await kept()).toMatchObject({ name: 'door.jpg', size: { width: 2 } }));
  const later = openPage().draft;
  await vi.waitFor(() =>
    expect(later.getSnapshot()).toMatchObject({ image: { name: 'door.jpg', width: 2 }, caption: 'The south door' }),
  );
  expect(await later.getSnapshot().image?.blob.text()).toBe('smaller');
  const other = openPage(ready, OTHER).draft;
  await vi.waitFor(async () => expect(await kept(OTHER)).toBeUndefined());
  expect(other.getSnapshot()).toMatchObject({ image: undefined, caption: '' });
});

test('[NAME1] the name of a file is clean before it is sent too: its end is seen as it is', async () => {
  withoutDevice();
  const { draft } = openPage();
  draft.take([file('photo\u202egnp.exe')]);
  expect(draft.getSnapshot().preparing).toBe('photognp.exe');
  await vi.waitFor(() => expect(draft.getSnapshot().image?.name).toBe('photognp.exe'));
});

test('[CHATS46] a file that was still being prepared when the page went is prepared again', async () => {
  openPage(() => new Promise(() => undefined)).draft.take([file('door.jpg', 'as it was')]);
  await vi.waitFor(async () => expect(await kept()).toMatchObject({ name: 'door.jpg', size: null }));
  const prepare = vi.fn(ready);
  const { draft } = openPage(prepare);
  await vi.waitFor(() => expect(draft.getSnapshot().image).toMatchObject({ name: 'door.jpg', width: 2 }));
  expect(await prepare.mock.calls[0]?.[0].text()).toBe('as it was');
  await vi.waitFor(async () => expect(await kept()).toMatchObject({ size: { width: 2 } }));
});

test('[CHATS46] a file that is refused takes nothing away from the image chosen before, on the device neither', async () => {
  const answers: Preparation[] = [READY, { ok: false, fault: 'type' }];
  const { draft } = openPage(async () => answers.shift() ?? READY);
  draft.take([file('good.png')]);
  await vi.waitFor(() => expect(draft.getSnapshot().image?.name).toBe('good.png'));
  draft.take([file('bad.svg')]);
  await vi.waitFor(() => expect(draft.getSnapshot()).toMatchObject({ image: { name: 'good.png' }, fault: 'type' }));
  await vi.waitFor(async () => expect(await kept()).toMatchObject({ name: 'good.png', size: { width: 2 } }));
});

test('[CHATS46] sent or removed it is gone, in the other tabs and on the device too', async () => {
  const [one, other] = [openPage().draft, openPage().draft];
  one.take([file('door.jpg')]);
  await vi.waitFor(() => expect(other.getSnapshot().image?.name).toBe('door.jpg'));
  one.write('words');
  await vi.waitFor(() => expect(other.getSnapshot().caption).toBe('words'));
  const shown = other.getSnapshot().image;
  one.write('more words');
  await vi.waitFor(() => expect(other.getSnapshot().caption).toBe('more words'));
  expect(other.getSnapshot().image, 'the picture is not loaded anew with each letter').toBe(shown);
  one.clear();
  await vi.waitFor(() => expect(other.getSnapshot()).toMatchObject({ image: undefined, caption: '' }));
  expect(one.getSnapshot()).toMatchObject({ image: undefined, caption: '' });
  await vi.waitFor(async () =>
    expect([await kept(), await draftDatabase.get(`caption.${CHANNEL}`, ME)]).toEqual([undefined, undefined]),
  );
});

test('[CHATS46] what the device can’t keep lasts as long as the page, which asks before it is left', async () => {
  withoutDevice();
  const { draft, drafts, asksBeforeLeaving } = openPage();
  expect(asksBeforeLeaving()).toBe(false);
  draft.take([file('door.jpg')]);
  await vi.waitFor(() => expect(asksBeforeLeaving()).toBe(true));
  expect(drafts.of(CHANNEL).getSnapshot().image?.name).toBe('door.jpg');
  draft.clear();
  expect(asksBeforeLeaving()).toBe(false);
});

test('[CHATS46] a full device that still keeps the words lacks the image: it stays, and the page asks before it is left', async () => {
  const { put } = draftDatabase;
  vi.spyOn(draftDatabase, 'put').mockImplementation((name, userId, value) =>
    name.startsWith('image.') ? Promise.reject(new DOMException('', 'QuotaExceededError')) : put(name, userId, value),
  );
  const { draft, asksBeforeLeaving } = openPage();
  draft.take([file('door.jpg')]);
  await vi.waitFor(() => expect(asksBeforeLeaving()).toBe(true));
  draft.write('The south door');
  const other = openPage().draft;
  await vi.waitFor(() => expect(draftDatabase.get(`caption.${CHANNEL}`, ME)).resolves.toBe('The south door'));
  expect(asksBeforeLeaving()).toBe(true);
  other.write('Elsewhere');
  await vi.waitFor(() => expect(draftDatabase.get(`caption.${CHANNEL}`, ME)).resolves.toBe('Elsewhere'));
  expect([draft.getSnapshot().image?.name, asksBeforeLeaving()]).toEqual(['door.jpg', true]);
});

test('[CHATS46] the device keeps the images of the channels where one was chosen last, with their words', async () => {
  const { drafts } = openPage();
  const channels = Array.from({ length: KEPT_CHANNELS + 1 }, (_, n) => sampleId(300 + n) as typeof CHANNEL);
  let at = 1_000;
  vi.spyOn(Date, 'now').mockImplementation(() => (at += 1));
  for (const id of channels) {
    const draft = drafts.of(id);
    draft.take([file('a.png')]);
    draft.write('words');
    await vi.waitFor(async () =>
      expect(await draftDatabase.get(`image.${id}`, ME)).toMatchObject({ size: { width: 2 } }),
    );
  }
  const has = async (name: string, id = '') => (await draftDatabase.get(`${name}.${id}`, ME)) !== undefined;
  await vi.waitFor(async () =>
    expect([await has('image', channels[0]), await has('caption', channels[0])]).toEqual([false, false]),
  );
  expect([await has('image', channels[1]), await has('caption', channels[1])]).toEqual([true, true]);
});
