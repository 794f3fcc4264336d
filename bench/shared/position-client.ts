import { connectPlainly, EVENT } from './plain-socket.ts';

const MOVED = `${EVENT}["onLocationChanged"`;
const MAP_RIGHT = `${EVENT}["map_right"`;
const LNG = '"lng":';

export interface PositionClient {
  /** Reports a position, told apart from others by its longitude. Resolves with the answer. @throws Error when refused */
  move(lng: number): Promise<void>;
  close(): void;
}

export interface PositionClientOptions {
  origin: string;
  token: string;
  /** Waits until the server knows that positions may be sent. */
  isOurs: boolean;
  heard: (lng: number) => void;
}

/** Somebody with a map who reads nothing of a position but its longitude. */
export async function connectPosition({ isOurs, heard, ...place }: PositionClientOptions): Promise<PositionClient> {
  const mapped = Promise.withResolvers<void>();
  const socket = await connectPlainly({
    ...place,
    heard(data) {
      if (data.startsWith(MOVED)) heard(Number.parseFloat(data.slice(data.indexOf(LNG) + LNG.length)));
      else if (data.startsWith(MAP_RIGHT)) mapped.resolve();
    },
  });
  if (isOurs) await mapped.promise;
  return {
    move: async (lng) => void (await socket.ask('position_update', { lat: 48.85, lng })),
    close: () => void socket.close(),
  };
}
