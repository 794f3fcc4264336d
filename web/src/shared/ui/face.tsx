import { useState } from 'react';
import { initials } from '../format/initials.ts';
import styles from './face.module.css';

export interface FaceProps {
  /** Where the photo is; null, or empty: initials instead. */
  photo: string | null;
  name: string;
  /** What the photo shows, where nothing beside it says so. */
  alt?: string;
  /** Width and height, px; `place`: as large as what it stands in, which has colours and letters of its own. */
  size: 22 | 26 | 72 | 'place';
}

/** Somebody's photo; the initials of their name where there is none, or it can't be read. */
export function Face({ photo, name, alt = '', size }: FaceProps) {
  const [unread, setUnread] = useState('');
  if (photo === null || photo === '' || photo === unread) {
    return (
      <span className={styles.face} data-size={size} aria-hidden="true">
        {initials(name)}
      </span>
    );
  }
  return (
    <img
      className={styles.face}
      data-size={size}
      src={photo}
      alt={alt}
      {...(size === 'place' ? {} : { width: size, height: size })}
      onError={() => setUnread(photo)}
    />
  );
}
