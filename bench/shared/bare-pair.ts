import type { Page } from 'playwright';

/**
 * Two peer connections in one page, an always-on track from the page's microphone between them: the physical limit.
 * An earlier pair of the page is closed. @returns when (Date.now()) the connections were begun
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
