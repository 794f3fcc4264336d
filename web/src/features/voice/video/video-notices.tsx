import { Button } from '@mantine/core';
import { IconScreenShare, IconScreenShareOff, IconVideoOff } from '@tabler/icons-react';
import type { VideoSnapshot } from '../engine/video.ts';
import { useVideoWords, useVoiceWords } from '../talk-words.ts';
import { Notice, NoticeStack } from '../voice-notices.tsx';

/** Notices that the screen is shared, or that camera or screen have a fault. */
export function VideoNotices(props: {
  video: VideoSnapshot;
  onStopSharing: () => void;
  onRetryCamera: () => void;
  onWithoutCamera: () => void;
}) {
  const { camera, screen } = props.video;
  const t = useVideoWords();
  const voice = useVoiceWords();
  return (
    <NoticeStack>
      {screen === 'on' && (
        <Notice
          kind="info"
          role="alert"
          icon={<IconScreenShare />}
          title={t('sharing.title')}
          more={t('sharing.more')}
          act={
            <Button size="sm" onClick={props.onStopSharing}>
              {t('sharing.stop')}
            </Button>
          }
        />
      )}
      {screen === 'failed' && (
        <Notice kind="info" role="alert" icon={<IconScreenShareOff />} title={t('sharing.failed')} />
      )}
      {camera.state === 'unavailable' && (
        <Notice
          kind="info"
          role="alert"
          icon={<IconVideoOff />}
          title={t(`notice.${camera.reason}`)}
          more={t(`notice.${camera.reason}More`)}
          aside={t('notice.without')}
          act={
            <>
              {camera.reason !== 'insecure' && (
                <Button size="sm" variant="default" onClick={props.onRetryCamera}>
                  {voice('notice.retry')}
                </Button>
              )}
              <Button size="sm" variant="default" onClick={props.onWithoutCamera}>
                {t('notice.goOn')}
              </Button>
            </>
          }
        />
      )}
    </NoticeStack>
  );
}
