import { Button } from '@mantine/core';
import { IMAGE_PICKED_MAX_BYTES, IMAGE_TYPES, PHOTO_SENT_MAX_BYTES, PHOTO_SIZE_PX } from '@pressel/contract/limits';
import { type DragEvent, useRef, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { pageSurface } from '#src/shared/images/shrink.ts';
import { Avatar } from '#src/shared/ui/avatar.tsx';
import styles from './photo-field.module.css';

/** A change of the photo: undefined keeps it, '' takes it away, else the new one as a data URL. */
export type PhotoChange = string | undefined;

export interface PhotoFieldProps {
  /** The photo that is stored; null when there is none. */
  stored: string | null;
  change: PhotoChange;
  onChange: (change: PhotoChange) => void;
  name: string;
}

/** A photo with buttons to choose another and to remove it; initials where there is none. */
export function PhotoField({ stored, change, onChange, name }: PhotoFieldProps) {
  const { t } = useTranslation('userForm');
  const input = useRef<HTMLInputElement>(null);
  const choose = useRef<HTMLButtonElement>(null);
  const newest = useRef<File>(undefined);
  const [isReading, setReading] = useState(false);
  const [isOver, setOver] = useState(false);
  const [fault, setFault] = useState<PhotoFault>();
  const shown = change ?? stored ?? '';

  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    newest.current = file;
    setReading(true);
    const result = await squarePhoto(file);
    // Another file was chosen while this one was being read.
    if (newest.current !== file) return;
    setReading(false);
    if ('fault' in result) setFault(result.fault);
    else {
      setFault(undefined);
      onChange(result.photo);
    }
  };

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void read(event.dataTransfer.files[0]);
  };

  return (
    // Dropping is a short cut of the button, which keyboards and fingers use.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would take the drop of a file no better
    <div
      role="group"
      aria-label={t('photo.label')}
      className={styles.photo}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Avatar size={72} photo={shown} name={name} alt={t('photo.alt', { name })} />
      <div className={styles.side}>
        <div className={styles.acts}>
          <Button ref={choose} variant="default" loading={isReading} onClick={() => input.current?.click()}>
            {t(shown === '' ? 'photo.choose' : 'photo.change')}
          </Button>
          {shown !== '' && (
            <Button
              variant="subtle"
              onClick={() => {
                setFault(undefined);
                onChange(stored === null ? undefined : '');
                // This button is removed with the photo.
                choose.current?.focus();
              }}
            >
              {t('photo.remove')}
            </Button>
          )}
        </div>
        <p className={styles.hint} data-fault={fault !== undefined || undefined} role={fault && 'alert'}>
          {t(fault === undefined ? 'photo.hint' : `photo.${fault}`)}
        </p>
      </div>
      <input
        ref={input}
        type="file"
        accept={IMAGE_TYPES.join()}
        hidden
        data-photo
        onChange={(event) => {
          void read(event.currentTarget.files?.[0]);
          // Allows choosing the same file again.
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}

/** JPEG qualities to try, until one is small enough. */
const QUALITIES = [0.9, 0.8, 0.7, 0.55, 0.4, 0.25, 0.1] as const;

type PhotoFault = 'type' | 'size' | 'unreadable';

/** Returns the fault of a chosen file before it is opened. */
export function fileFault(file: Pick<File, 'type' | 'size'>): PhotoFault | undefined {
  if (!IMAGE_TYPES.some((type) => type === file.type)) return 'type';
  return file.size > IMAGE_PICKED_MAX_BYTES ? 'size' : undefined;
}

/** The square in the middle of a picture, in its pixels. */
export function middleSquare(width: number, height: number): { x: number; y: number; side: number } {
  const side = Math.min(width, height);
  return { x: (width - side) / 2, y: (height - side) / 2, side };
}

/** The first of several encodings that is small enough; undefined when none is. */
export async function smallEnough(encode: (quality: number) => Promise<Blob | null>): Promise<Blob | undefined> {
  for (const quality of QUALITIES) {
    const blob = await encode(quality);
    if (blob !== null && blob.size <= PHOTO_SENT_MAX_BYTES) return blob;
  }
  return undefined;
}

/**
 * Returns the middle of a picture as a small square JPEG, as a data URL. It is turned as its metadata says, and the
 * metadata are dropped.
 */
async function squarePhoto(file: File): Promise<{ photo: string } | { fault: PhotoFault }> {
  const fault = fileFault(file);
  if (fault !== undefined) return { fault };
  try {
    const picture = await createImageBitmap(file, { imageOrientation: 'from-image' });
    const blob = await smallEnough(jpegOf(picture));
    picture.close();
    return blob === undefined ? { fault: 'unreadable' } : { photo: await dataUrlOf(blob) };
  } catch {
    // There is no helpful name for what a browser can't decode.
    return { fault: 'unreadable' };
  }
}

function jpegOf(picture: ImageBitmap): (quality: number) => Promise<Blob | null> {
  const { context, toBlob } = pageSurface(PHOTO_SIZE_PX, PHOTO_SIZE_PX);
  if (context === null) return async () => null;
  const { x, y, side } = middleSquare(picture.width, picture.height);
  // JPEG has no transparency: white rather than black behind it.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, PHOTO_SIZE_PX, PHOTO_SIZE_PX);
  context.imageSmoothingQuality = 'high';
  context.drawImage(picture, x, y, side, side, 0, 0, PHOTO_SIZE_PX, PHOTO_SIZE_PX);
  return (quality) => toBlob('image/jpeg', quality);
}

const dataUrlOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
