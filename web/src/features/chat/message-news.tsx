import type { ChannelId } from '@pressel/contract/ids';
import { Suspense, useEffect, useEffectEvent } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { useRealtime, useUser } from '#src/shared/services.tsx';
import { useAnnounce } from '#src/shared/ui/announcer.tsx';

/** Messages that come sooner than this after an announced one wait, and are announced together, ms. */
const TOGETHER_MS = 3_000;

/** Announces in a room that messages of others came, whether or not they are shown [KEYS11]. */
export function MessageNews({ channelId }: { channelId: ChannelId }) {
  return (
    // A room shows nothing while this loads.
    <Suspense fallback={null}>
      <SpokenNews channelId={channelId} />
    </Suspense>
  );
}

function SpokenNews({ channelId }: { channelId: ChannelId }) {
  const { t } = useTranslation('chat');
  const say = useAnnounce();
  const realtime = useRealtime();
  const userId = useUser().id;
  const tell = useEffectEvent((names: readonly string[]) => {
    const [name, other] = names;
    if (name === undefined) return;
    say(other === undefined ? t('announce', { name: name }) : t('jump.count', { count: names.length }));
  });

  useEffect(() => {
    let waiting: string[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tellWaiting = () => {
      const names = waiting;
      waiting = [];
      timer = names.length === 0 ? undefined : setTimeout(tellWaiting, TOGETHER_MS);
      tell(names);
    };
    const stop = realtime.on('messageResponse', (message) => {
      if (message.channelId !== channelId || message.userId === userId) return;
      waiting.push(message.user.display_name);
      if (timer === undefined) tellWaiting();
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [realtime, channelId, userId]);
  return null;
}
