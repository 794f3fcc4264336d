import { createSocket, type Socket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import type { BrowserContext } from 'playwright';

/** Detours of voices whose packets are held up on the way, as over Wi-Fi or a mobile network. Packets keep their order. */
export interface JitterPath {
  /** Leads all peer connections of the context's pages through it. Both ends must take it: otherwise their candidates lead past it. */
  leadThrough(context: BrowserContext): Promise<void>;
  close(): void;
}

/** @param holdUpMs how much longer than the last one the next packet takes: a random number of ms, anew for each packet */
export function openJitterPath(holdUpMs: () => number): JitterPath {
  const sockets: Socket[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const ports = new Map<string, Promise<number>>();

  /** Calls back when each packet has arrived, in their order. */
  const delay = () => {
    let freeAt = 0;
    return (arrive: () => void) => {
      freeAt = Math.max(freeAt, Date.now() + holdUpMs());
      const timer = setTimeout(() => {
        timers.delete(timer);
        arrive();
      }, freeAt - Date.now());
      timers.add(timer);
    };
  };
  const open = async (): Promise<Socket> => {
    const socket = createSocket('udp4');
    sockets.push(socket);
    await new Promise<void>((resolve) => socket.bind(0, '0.0.0.0', resolve));
    return socket;
  };
  /** Opens a port that leads to an address, and from there back to whoever sent something to it. */
  const detourTo = async (address: string, port: number): Promise<number> => {
    const near = await open();
    const flows = new Map<string, Promise<(packet: Buffer) => void>>();
    const flowOf = async (sender: { address: string; port: number }) => {
      const far = await open();
      const [there, back] = [delay(), delay()];
      far.on('message', (packet) => back(() => near.send(packet, sender.port, sender.address)));
      return (packet: Buffer) => there(() => far.send(packet, port, address));
    };
    near.on('message', (packet, sender) => {
      const key = `${sender.address}:${sender.port}`;
      const flow = flows.get(key) ?? flowOf(sender);
      flows.set(key, flow);
      void flow.then((send) => send(packet));
    });
    return (near.address() as AddressInfo).port;
  };

  return {
    async leadThrough(context) {
      await context.exposeFunction('detourTo', (address: string, port: number) => {
        const key = `${address}:${port}`;
        const known = ports.get(key) ?? detourTo(address, port);
        ports.set(key, known);
        return known;
      });
      await context.addInitScript(installDetours);
    },
    close() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.close();
    },
  };
}

/** Runs in the page. Must not refer to anything outside itself. */
function installDetours(): void {
  const { detourTo } = window as unknown as { detourTo(address: string, port: number): Promise<number> };
  const { prototype } = RTCPeerConnection;
  const add = prototype.addIceCandidate;
  prototype.addIceCandidate = async function (candidate?: RTCIceCandidateInit | null) {
    const parts = candidate?.candidate?.split(' ') ?? [];
    const [, , protocol, , address, port] = parts;
    if (address !== undefined && protocol?.toLowerCase() !== 'udp') return;
    if (address !== undefined) {
      parts[4] = '127.0.0.1';
      parts[5] = String(await detourTo(address, Number(port)));
    }
    const detoured = candidate == null ? candidate : { ...candidate, candidate: parts.join(' ') };
    return Reflect.apply(add, this, [detoured]);
  };
}
