import type { Page } from 'playwright';

/**
 * Sets up two peer connections in one page, with an always-on track from the page's microphone between them, to measure how long that
 * takes. An earlier pair of the page is closed. @returns when (Date.now()) the connections were begun
 */
export const openBarePair = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    const { pair } = window as unknown as { pair?: RTCPeerConnection[] };
    for (const connection of pair ?? []) connection.close();
    const begun = Date.now();
    const [from, to] = [new RTCPeerConnection(), new RTCPeerConnection()];
    from.onicecandidate = ({ candidate }) => void to.addIceCandidate(candidate ?? undefined);
    to.onicecandidate = ({ candidate }) => void from.addIceCandidate(candidate ?? undefined);
    const arrived = new Promise<void>((resolve) => {
      to.ontrack = ({ track }) => {
        const audio = new Audio();
        audio.srcObject = new MediaStream([track]);
        void audio.play();
        resolve();
      };
    });
    for (const track of stream.getAudioTracks()) from.addTrack(track, stream);
    await from.setLocalDescription();
    if (from.localDescription) await to.setRemoteDescription(from.localDescription);
    await to.setLocalDescription();
    if (to.localDescription) await from.setRemoteDescription(to.localDescription);
    await arrived;
    Object.assign(window, { pair: [from, to] });
    return begun;
  });

/**
 * One bare connection from one page to another, for presses on a button of its own that fills the page: the least that a voice costs here.
 * `always`: it sends all the time, and a press makes the microphone's voice sound. `pausing`: a press opens the track and starts the
 * packets as the product does, and a release ends both as late as there. Both pages need a voice and an ear.
 */
export async function openVoicePair(from: Page, to: Page, way: 'always' | 'pausing'): Promise<void> {
  const offer = await from.evaluate(offerVoice, way);
  await from.evaluate(takeAnswer, await to.evaluate(answerVoice, offer));
}

/** Runs in the page. Like the two below, it must not refer to anything outside itself. */
async function offerVoice(way: 'always' | 'pausing'): Promise<string> {
  const TAIL_MS = 200;
  const PACKETS_STOP_AFTER_MS = 200;
  const { pageAudio } = window as unknown as { pageAudio: { setSounding(isSounding: boolean): Promise<number> } };
  const [track] = (await navigator.mediaDevices.getUserMedia({ audio: true })).getAudioTracks();
  if (track === undefined) throw new Error('There is no microphone');
  const connection = new RTCPeerConnection();
  const { sender } = connection.addTransceiver(track, { sendEncodings: [{ active: way === 'always' }] });
  const setActive = async (isActive: boolean) => {
    const parameters = sender.getParameters();
    for (const encoding of parameters.encodings) encoding.active = isActive;
    await sender.setParameters(parameters);
  };
  const press = () => {
    if (way === 'always') return void pageAudio.setSounding(true);
    track.enabled = true;
    void setActive(true);
  };
  const release = () => {
    if (way === 'always') return void pageAudio.setSounding(false);
    setTimeout(() => {
      track.enabled = false;
      setTimeout(() => void setActive(false), PACKETS_STOP_AFTER_MS);
    }, TAIL_MS);
  };
  if (way === 'always') await pageAudio.setSounding(false);
  else track.enabled = false;
  const button = document.body.appendChild(document.createElement('button'));
  Object.assign(button.style, { position: 'fixed', inset: '0' });
  button.dataset.talkButton = '';
  // Nothing has to grant the press.
  button.addEventListener('pointerdown', () => {
    press();
    button.dataset.state = 'talking';
  });
  button.addEventListener('pointerup', () => {
    release();
    button.dataset.state = 'idle';
  });
  await connection.setLocalDescription();
  await new Promise<void>((resolve) => {
    const look = () => connection.iceGatheringState === 'complete' && resolve();
    connection.addEventListener('icegatheringstatechange', look);
    look();
  });
  Object.assign(window, { connection });
  return connection.localDescription?.sdp ?? '';
}

async function answerVoice(sdp: string): Promise<string> {
  const connection = new RTCPeerConnection();
  const audio = new Audio();
  Object.assign(window, { connection, audio });
  connection.ontrack = ({ track }) => {
    audio.srcObject = new MediaStream([track]);
    void audio.play();
  };
  await connection.setRemoteDescription({ type: 'offer', sdp });
  await connection.setLocalDescription();
  await new Promise<void>((resolve) => {
    const look = () => connection.iceGatheringState === 'complete' && resolve();
    connection.addEventListener('icegatheringstatechange', look);
    look();
  });
  return connection.localDescription?.sdp ?? '';
}

async function takeAnswer(sdp: string): Promise<void> {
  const { connection } = window as unknown as { connection: RTCPeerConnection };
  await connection.setRemoteDescription({ type: 'answer', sdp });
  await new Promise<void>((resolve) => {
    const look = () => connection.connectionState === 'connected' && resolve();
    connection.addEventListener('connectionstatechange', look);
    look();
  });
}
