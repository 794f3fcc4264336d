import type { Browser, Page } from 'playwright';

/** A full mesh of bare pages: the connections that the product makes, without a screen, a server or anything else. */
export interface BareMesh {
  setTalking(isTalking: boolean): Promise<void>;
  /** Bytes of voice that each page but the talker's received so far. */
  received(): Promise<number[]>;
}

/** Opens one page a person, each in a context of its own as in the product, all at `url`: any page of a secure origin. */
export async function openBareMesh(browser: Browser, url: string, size: number): Promise<BareMesh> {
  const pages: Page[] = [];
  const deliver = (from: number, to: number, signal: Signal) =>
    pages[to]?.evaluate(({ id, data }) => (window as unknown as { bare: BarePage }).bare.receive(id, data), {
      id: from,
      data: signal,
    });
  for (let index = 0; index < size; index += 1) {
    const context = await browser.newContext({ bypassCSP: true, permissions: ['microphone'] });
    const page = await context.newPage();
    await page.goto(url);
    await page.exposeFunction('deliver', (to: number, signal: Signal) => deliver(index, to, signal));
    await page.evaluate(startBarePage);
    pages.push(page);
    await page.evaluate((count) => (window as unknown as { bare: BarePage }).bare.join(count), index);
  }
  const [talker, ...listeners] = pages;
  return {
    async setTalking(isTalking) {
      await talker?.evaluate((wish) => (window as unknown as { bare: BarePage }).bare.setTalking(wish), isTalking);
    },
    received: () =>
      Promise.all(
        listeners.map((page) => page.evaluate(() => (window as unknown as { bare: BarePage }).bare.received())),
      ),
  };
}

/** A bare page with so many connections; `far` holds their other ends, all in one page. */
export async function openBareHub(near: Browser, far: Browser, url: string, links: number): Promise<Page> {
  const open = async (browser: Browser) => {
    const context = await browser.newContext({ bypassCSP: true, permissions: ['microphone'] });
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
  const [hub, others] = [await open(near), await open(far)];
  for (const [from, to] of [
    [hub, others],
    [others, hub],
  ] as const) {
    await from.exposeFunction('deliver', (id: number, signal: Signal) =>
      to.evaluate(({ link, data }) => (window as unknown as { bare: BarePage }).bare.receive(link, data), {
        link: id,
        data: signal,
      }),
    );
    await from.evaluate(startBarePage);
  }
  await hub.evaluate((count) => (window as unknown as { bare: BarePage }).bare.join(count), links);
  return hub;
}

interface Signal {
  sdp?: RTCSessionDescriptionInit;
  candidate?: RTCIceCandidateInit;
}

interface BarePage {
  /** Makes an offer to all that came before, and waits until they are connected. */
  join(earlier: number): Promise<void>;
  receive(from: number, signal: Signal): Promise<void>;
  setTalking(isTalking: boolean): Promise<void>;
  received(): Promise<number>;
}

/** Runs in the page. Must not refer to anything outside itself. The microphone's constraints are the product's. */
async function startBarePage(): Promise<void> {
  const deliver = (window as unknown as { deliver(to: number, signal: Signal): Promise<void> }).deliver;
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
  });
  const [track] = stream.getAudioTracks();
  if (track === undefined) throw new Error('There is no microphone');
  track.enabled = false;
  const links = new Map<number, RTCPeerConnection>();
  const open = (id: number): RTCPeerConnection => {
    const link = new RTCPeerConnection();
    links.set(id, link);
    link.onicecandidate = ({ candidate }) => {
      if (candidate) void deliver(id, { candidate: candidate.toJSON() });
    };
    link.ontrack = ({ track: voice }) => {
      const audio = new Audio();
      audio.srcObject = new MediaStream([voice]);
      void audio.play();
    };
    return link;
  };
  const deliverDescription = async (id: number, link: RTCPeerConnection) => {
    if (link.localDescription) await deliver(id, { sdp: link.localDescription.toJSON() });
  };
  const setActive = async (link: RTCPeerConnection, isActive: boolean) => {
    const [sender] = link.getSenders();
    const parameters = sender?.getParameters();
    if (sender === undefined || parameters?.encodings[0] === undefined) throw new Error('There is no sender');
    parameters.encodings[0].active = isActive;
    await sender.setParameters(parameters);
  };
  const connected = (link: RTCPeerConnection) =>
    new Promise<void>((resolve) => {
      const look = () => link.connectionState === 'connected' && resolve();
      link.addEventListener('connectionstatechange', look);
      look();
    });
  const bare: BarePage = {
    async join(earlier) {
      for (let id = 0; id < earlier; id += 1) {
        const link = open(id);
        link.addTransceiver(track, { sendEncodings: [{ active: false }] });
        await link.setLocalDescription();
        await deliverDescription(id, link);
      }
      await Promise.all([...links.values()].map(connected));
    },
    async receive(from, { sdp, candidate }) {
      const link = links.get(from) ?? open(from);
      if (candidate) await link.addIceCandidate(candidate);
      if (!sdp) return;
      await link.setRemoteDescription(sdp);
      if (sdp.type !== 'offer') return;
      link.addTrack(track);
      await link.setLocalDescription();
      await deliverDescription(from, link);
      await setActive(link, false);
    },
    async setTalking(isTalking) {
      track.enabled = isTalking;
      await Promise.all([...links.values()].map((link) => setActive(link, isTalking)));
    },
    async received() {
      let bytes = 0;
      for (const link of links.values()) {
        for (const report of (await link.getStats()).values()) {
          if (report.type === 'inbound-rtp') bytes += report.bytesReceived;
        }
      }
      return bytes;
    },
  };
  Object.assign(window, { bare });
}
