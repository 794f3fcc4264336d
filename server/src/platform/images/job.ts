// Shared by the server and the process that makes images, which loads nothing else of the server.

/** Target size. `cover` fills it and crops; `inside` keeps the whole image within it. */
export interface ImageSize {
  width: number;
  height: number;
  fit: 'cover' | 'inside';
}

export interface Image {
  bytes: Buffer;
  width: number;
  height: number;
}

export interface ImageJob {
  bytes: Uint8Array;
  /** What to make: the first of `bytes`, further ones of the first. */
  sizes: readonly ImageSize[];
  /** Whether an animation stays one in the first; else it is its first frame. */
  isAnimationKept: boolean;
}

/** What the process may take. An image that takes more is not made. */
export interface ProcessLimits {
  cpuMs: number;
  memoryBytes: number;
  /** After an image it keeps less than this: libraries don't give back all, which would count against the next image. */
  keptBytes: number;
}

/** Why there is no image, with the reason for whoever looks into it. */
export class Refusal extends Error {
  readonly code: 'wrong_type' | 'too_large';
  constructor(code: Refusal['code'], reason: string) {
    super(reason);
    this.code = code;
  }
}
