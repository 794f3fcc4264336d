import { availableParallelism } from 'node:os';
import { IMAGE_MAX_BYTES } from '@pressel/contract/limits';
import { createGate } from '#src/limits/gate.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { Image, ImageJob, ImageSize } from './job.ts';
import { createMaker, type MakerDeps, RETRY_AFTER_SECONDS } from './maker.ts';

/** The format of all images served: small, with transparency, supported by all browsers. */
export const IMAGE_TYPE = 'image/webp';
/** Maximum of processes, however many cores there are: each may take a gigabyte. */
const AT_ONCE_MAX = 8;
/** Maximum of waiting images; each has up to IMAGE_MAX_BYTES. */
const WAITING_MAX = 64;
const WAITING_OF_OWNER_MAX = 16;

/** The owner, who takes turns, and how long the caller waits. */
export interface ImageCaller {
  owner: string;
  /** Aborting drops an image whose turn has not come yet. */
  signal: AbortSignal;
}

export interface Images {
  /**
   * Converts a JPEG, PNG, BMP, GIF or WebP (detected by content) to IMAGE_TYPE. Decodes it completely, applies its
   * orientation and drops all metadata (location, camera, comments, trailing bytes). Keeps an animation's first frame.
   * @throws AppError wrong_type, too_large (bytes, pixels, time or memory), too_many, unavailable
   */
  make(caller: ImageCaller, bytes: Uint8Array, size: ImageSize): Promise<Image>;
  /**
   * The same, but an animation stays one if its frames together have at most IMAGE_MAX_PIXELS. Also makes a thumbnail of the
   * first frame.
   */
  makeWithThumbnail(
    caller: ImageCaller,
    bytes: Uint8Array,
    size: ImageSize,
    thumbnailSize: ImageSize,
  ): Promise<{ image: Image; thumbnail: Image }>;
  /** How many images wait. */
  waiting(): number;
  /** Ends all work at once. */
  close(): void;
}

export interface ImagesDeps extends MakerDeps {
  atOnce?: number;
}

/** Converts images in processes of their own. Leaves one core to the event loop, otherwise floor requests wait for it. */
export function createImages({ atOnce = processesOfThisMachine(), ...deps }: ImagesDeps): Images {
  const gate = createGate({
    atOnce,
    waiting: WAITING_MAX,
    waitingOfOwner: WAITING_OF_OWNER_MAX,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    now: () => performance.now(),
  });
  const makers = Array.from({ length: atOnce }, () => createMaker(deps));
  /** The last process used is the first to be used again, so that the others may end. */
  const free = [...makers];
  async function inTurn({ owner, signal }: ImageCaller, job: ImageJob): Promise<Image[]> {
    if (job.bytes.length > IMAGE_MAX_BYTES) throw new AppError('too_large');
    return gate.run(
      owner,
      async () => {
        const maker = free.pop();
        if (maker === undefined) throw new Error('More at once than there are processes');
        try {
          return await maker.make(job);
        } finally {
          free.push(maker);
        }
      },
      signal,
    );
  }
  return {
    async make(caller, bytes, size) {
      const [image] = await inTurn(caller, { bytes, sizes: [size], isAnimationKept: false });
      return existing(image);
    },
    async makeWithThumbnail(caller, bytes, size, thumbnailSize) {
      const sizes = [size, thumbnailSize];
      const [image, thumbnail] = await inTurn(caller, { bytes, sizes, isAnimationKept: true });
      return { image: existing(image), thumbnail: existing(thumbnail) };
    },
    waiting: gate.waiting,
    close() {
      for (const maker of makers) maker.close();
    },
  };
}

const processesOfThisMachine = (): number => Math.min(AT_ONCE_MAX, Math.max(1, availableParallelism() - 1));

function existing(image: Image | undefined): Image {
  if (image === undefined) throw new Error('An image was not made');
  return image;
}
