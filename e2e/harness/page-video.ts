import type { Page } from 'playwright';

interface PageMedia {
  connections: RTCPeerConnection[];
  asked: string[];
}

/** Totals of all links of a page, since they were made. */
export interface VideoTraffic {
  framesDecoded: number;
  packetsReceived: number;
  packetsSent: number;
  /** How many of its links have a line for video. */
  lines: number;
}

/** How much the page's links carried of pictures, by the browser's own count. */
export const videoTraffic = (page: Page): Promise<VideoTraffic> =>
  page.evaluate(async () => {
    const { connections } = (window as unknown as { pageAudio: PageMedia }).pageAudio;
    const traffic = { framesDecoded: 0, packetsReceived: 0, packetsSent: 0, lines: 0 };
    for (const connection of connections) {
      if (connection.getTransceivers().some(({ receiver }) => receiver.track.kind === 'video')) traffic.lines += 1;
      for (const one of (await connection.getStats()).values()) {
        if (one.kind !== 'video') continue;
        if (one.type === 'inbound-rtp') {
          traffic.framesDecoded += one.framesDecoded ?? 0;
          traffic.packetsReceived += one.packetsReceived ?? 0;
        } else if (one.type === 'outbound-rtp') traffic.packetsSent += one.packetsSent ?? 0;
      }
    }
    return traffic;
  });

/** The kinds of devices that a page asked for. */
export const askedDevices = (page: Page): Promise<string[]> =>
  page.evaluate(() => [...new Set((window as unknown as { pageAudio: PageMedia }).pageAudio.asked)]);
