// Shared by the server and the process that makes images; that process loads nothing else of the server.

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
  /** The sizes to make: the first is made from `bytes`, further ones from the first. */
  sizes: readonly ImageSize[];
  /** Whether the first result stays an animation; otherwise it is the first frame. */
  isAnimationKept: boolean;
}

/** Limits of the process. An image that exceeds them is not made. */
export interface ProcessLimits {
  cpuMs: number;
  memoryBytes: number;
  /** Memory that it may keep after an image. Libraries don't give back everything, which would count against the next image. */
  keptBytes: number;
}

/** The answer of the process to a job. `isSpent`: it holds too much memory for another image. */
export type MakerReply =
  | { state: 'made'; images: Image[]; isSpent: boolean }
  | { state: 'refused'; code: Refusal['code']; reason: string; isSpent: boolean }
  | { state: 'exceeded'; what: 'time' | 'memory' };

/** Why there is no image, with a reason for the log. */
export class Refusal extends Error {
  readonly code: 'wrong_type' | 'too_large';
  constructor(code: Refusal['code'], reason: string) {
    super(reason);
    this.code = code;
  }
}
