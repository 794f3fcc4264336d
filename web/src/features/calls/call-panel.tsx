import { ActionIcon, Button } from '@mantine/core';
import type { WriteIn } from '@pressel/contract/calls';
import {
  IconMessage,
  IconMicrophone,
  IconMicrophoneOff,
  IconPhone,
  IconPhoneOff,
  IconScreenShare,
  IconScreenShareOff,
  IconVideo,
  IconVideoOff,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { VideoSnapshot } from '#src/features/voice/engine/video.ts';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { LazySection } from '#src/shared/ui/lazy-section.tsx';
import { useUrgentTitle } from '#src/shared/ui/page-title.ts';
import { useCalls } from './call-context.tsx';
import type { CallController, CallControllerSnapshot } from './call-controller.ts';
import styles from './call-panel.module.css';
import { CallPictures } from './call-pictures.tsx';
import { useFocusKept, useRingNotice, useRoomForPanel } from './use-call-panel.ts';

const REJECTIONS = ['not_now', 'call_back', 'write_me'] as const;

/**
 * The call that rings or goes on. The panel covers little, takes no focus and ends no talk: a talker finishes their
 * sentence first (RING14).
 */
export function CallPanel({ controller }: { controller: CallController }) {
  const { t } = useTranslation('calls');
  const snapshot = useCalls(controller);
  const { call } = snapshot;
  const isIncoming = call.callState === 'CALL_INCOMING';
  const isOwn = call.callerId === controller.selfId;
  const name = isOwn ? call.calleeName : call.callerName;
  const ringing = isIncoming ? t('incoming', { name }) : null;
  useUrgentTitle(ringing);
  useRingNotice(ringing);
  const panel = useRef<HTMLDivElement>(null);
  useFocusKept(panel, `${call.callState} ${call.isDialogShown}`);
  useRoomForPanel(panel, call.isDialogShown);
  if (!call.isDialogShown) return null;
  // A key must not reject or end a call by mistake.
  const close = ({ key }: KeyboardEvent) => {
    if (key === 'Escape' && call.callState === 'CALL_ENDED') controller.leave();
  };
  return (
    <div
      ref={panel}
      className={styles.panel}
      role="dialog"
      // The user can talk to the room beside it all the time: the voice engine reads this [TALK123].
      aria-modal={false}
      aria-label={t('title', { name })}
      data-call={call.callState}
      tabIndex={-1}
      onKeyDown={close}
    >
      <div className={styles.what}>
        {!isIncoming && (
          <p className={styles.who} dir="auto" title={name}>
            {name}
          </p>
        )}
        <p className={styles.state} role={isIncoming || call.callState === 'CALL_ENDED' ? 'alert' : 'status'}>
          {stateOf(t, snapshot, name)}
        </p>
        {snapshot.since !== null && <Duration since={snapshot.since} />}
      </div>
      {call.isAccepted && snapshot.voice !== null && <CallPictures voice={snapshot.voice} name={name} />}
      {isIncoming ? (
        <Answers controller={controller} canWrite={call.canWrite} />
      ) : (
        <Acts controller={controller} snapshot={snapshot} />
      )}
      {/* Its words load later than the panel. */}
      <LazySection>
        {call.callState !== 'CALL_ENDED' && <Faults controller={controller} snapshot={snapshot} />}
      </LazySection>
    </div>
  );
}

type Words = ReturnType<typeof useTranslation<'calls'>>['t'];

function stateOf(t: Words, { call, voice }: CallControllerSnapshot, name: string): string {
  switch (call.callState) {
    case 'CALL_INCOMING':
      return t('incoming', { name });
    case 'CALL_STARTING':
    case 'CALL_OUTGOING':
      return t('outgoing');
    case 'CALL_ENDED': {
      const { reason } = call.rejected;
      return reason === null ? t(`end.${call.end ?? 'hung_up'}`) : t(`rejected.${reason}`);
    }
    default:
      if (voice?.peer === 'connected') return t('inCall');
      return t(voice?.peer === 'interrupted' || voice?.peer === 'failed' ? 'interrupted' : 'connecting');
  }
}

/**
 * Answers to a call that rings. Declining is at the left, angular and outlined; answering is at the right, round and
 * filled. Users tell them apart without reading and without colours (RING20). Declining and its reason are one press.
 */
function Answers({ controller, canWrite }: { controller: CallController; canWrite: boolean }) {
  const { t } = useTranslation('calls');
  return (
    <>
      <div className={styles.acts}>
        <Button
          variant="default"
          color="fault"
          leftSection={<IconPhoneOff size={18} aria-hidden="true" />}
          onClick={() => controller.reject()}
          className={`${styles.main} ${styles.decline}`}
        >
          {t('reject')}
        </Button>
        <Button
          leftSection={<IconPhone size={18} aria-hidden="true" />}
          onClick={controller.accept}
          className={`${styles.main} ${styles.accept}`}
        >
          {t('accept')}
        </Button>
      </div>
      <fieldset className={styles.reasons}>
        <legend>{t('rejectWith')}</legend>
        {REJECTIONS.filter((reason) => canWrite || reason !== 'write_me').map((reason) => (
          <Button key={reason} size="xs" variant="default" onClick={() => controller.reject(reason)}>
            {t(`reason.${reason}`)}
          </Button>
        ))}
      </fieldset>
    </>
  );
}

/** Buttons for a call of the user's own, one that was taken, or one that is over. */
function Acts({
  controller,
  snapshot: { call, voice },
}: {
  controller: CallController;
  snapshot: CallControllerSnapshot;
}) {
  const { t } = useTranslation('calls');
  const { calleeId, calleeName, callerId, rejected } = call;
  if (call.callState === 'CALL_ENDED') {
    return (
      <div className={styles.acts}>
        {rejected.writeIn !== undefined && <WriteThere writeIn={rejected.writeIn} onGo={controller.leave} />}
        {callerId === controller.selfId && calleeId !== null && (
          <Button
            variant="default"
            leftSection={<IconPhone size={18} aria-hidden="true" />}
            onClick={() => controller.start({ id: calleeId, name: calleeName })}
            className={styles.main}
          >
            {t('again')}
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconX size={18} aria-hidden="true" />}
          onClick={controller.leave}
          className={styles.main}
        >
          {t('dismiss')}
        </Button>
      </div>
    );
  }
  const MicIcon = call.isMicrophoneOn ? IconMicrophone : IconMicrophoneOff;
  return (
    <div className={styles.acts}>
      {call.callState === 'CALL_ACCEPTED' && (
        <Button
          variant="default"
          aria-pressed={!call.isMicrophoneOn}
          leftSection={<MicIcon size={18} aria-hidden="true" />}
          onClick={() => controller.setMicrophoneOn(!call.isMicrophoneOn)}
          className={styles.main}
        >
          {t(call.isMicrophoneOn ? 'mute' : 'unmute')}
        </Button>
      )}
      {call.isAccepted && voice !== null && <Shows controller={controller} video={voice.video} />}
      <Button
        color="fault"
        leftSection={<IconPhoneOff size={18} aria-hidden="true" />}
        onClick={controller.leave}
        className={styles.main}
      >
        {t(call.callState === 'CALL_ACCEPTED' ? 'hangUp' : 'giveUp')}
      </Button>
    </div>
  );
}

/** Leads to the messages of the channel where the other user asked for a message. */
function WriteThere({ writeIn: { name, rtcSession }, onGo }: { writeIn: WriteIn; onGo: () => void }) {
  const { t } = useTranslation('calls');
  return (
    <Button
      renderRoot={(props) => (
        <Link to="/groupCallView/$roomId" params={{ roomId: rtcSession }} search={{ panel: 'messages' }} {...props} />
      )}
      variant="default"
      leftSection={<IconMessage size={18} aria-hidden="true" />}
      onClick={onGo}
      className={styles.main}
    >
      {t('write', { name })}
    </Button>
  );
}

/** Switches for the user's own camera and screen; both are off at first (RING16). */
function Shows({ controller, video }: { controller: CallController; video: VideoSnapshot }) {
  const { t } = useTranslation('calls');
  const isCameraOn = video.camera.state === 'on' || video.camera.state === 'starting';
  const isSharing = video.screen === 'on';
  return (
    <>
      <Switch
        label={t('camera')}
        icon={isCameraOn ? IconVideo : IconVideoOff}
        isOn={isCameraOn}
        disabled={isSharing}
        onClick={() => controller.setCamera(!isCameraOn)}
      />
      {video.screen !== 'unsupported' && (
        <Switch
          label={t('screen')}
          icon={isSharing ? IconScreenShareOff : IconScreenShare}
          isOn={isSharing}
          disabled={video.screen === 'asking'}
          onClick={isSharing ? controller.stopSharing : controller.shareScreen}
        />
      )}
    </>
  );
}

interface SwitchProps {
  label: string;
  icon: TablerIcon;
  isOn: boolean;
  disabled: boolean;
  onClick: () => void;
}

function Switch({ label, icon: Icon, isOn, disabled, onClick }: SwitchProps) {
  return (
    <ActionIcon
      variant="default"
      className={styles.show ?? ''}
      aria-label={label}
      title={label}
      aria-pressed={isOn}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon size={18} aria-hidden="true" />
    </ActionIcon>
  );
}

/** Faults of microphone, camera, screen and sound. */
function Faults({
  controller,
  snapshot: { voice, call },
}: {
  controller: CallController;
  snapshot: CallControllerSnapshot;
}) {
  const { t: calls } = useTranslation('calls');
  const { t } = useTranslation('callParts');
  return (
    <>
      {!call.isMicrophoneOn && <p className={styles.note}>{calls('muted')}</p>}
      {voice?.microphone.state === 'unavailable' && (
        <div className={styles.note} role="alert">
          <span>{t(`microphone.${voice.microphone.reason}`)}</span>
          {voice.microphone.reason !== 'insecure' && (
            <Button size="xs" variant="default" onClick={controller.retryMicrophone}>
              {t('retry')}
            </Button>
          )}
        </div>
      )}
      {voice?.video.camera.state === 'unavailable' && (
        <div className={styles.note} role="alert">
          <span>{t(`cameraFault.${voice.video.camera.reason}`)}</span>
          {voice.video.camera.reason !== 'insecure' && (
            <Button size="xs" variant="default" onClick={() => controller.setCamera(true)}>
              {t('retry')}
            </Button>
          )}
        </div>
      )}
      {voice?.video.screen === 'on' && (
        <p className={styles.note} role="status">
          {t('sharing')}
        </p>
      )}
      {voice?.video.screen === 'failed' && (
        <p className={styles.note} role="alert">
          {t('screenFault')}
        </p>
      )}
      {voice?.isLoudspeakerGone && (
        <p className={styles.note} role="alert">
          {t('loudspeakerGone')}
        </p>
      )}
      {voice?.playback === 'blocked' && (
        <Button size="xs" onClick={controller.unlockAudio}>
          {t('unlock')}
        </Button>
      )}
    </>
  );
}

function Duration({ since }: { since: number }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((now - since) / 1_000));
  return (
    <p
      className={styles.duration}
      aria-hidden="true"
    >{`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}</p>
  );
}
