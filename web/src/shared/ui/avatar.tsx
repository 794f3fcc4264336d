import { useState } from 'react';
import { initials } from '#src/shared/format/format.ts';
import styles from './avatar.module.css';

export interface AvatarProps {
  /** The photo's address; null or empty: initials instead. */
  photo: string | null;
  name: string;
  /** The description of the photo, where no text beside it says so. */
  alt?: string;
  /** Width and height, px; `place`: as large as its container, which has colours and letters of its own. */
  size: 22 | 26 | 72 | 'place';
}

/** Somebody's photo; the initials of their name where there is none, or it can't be loaded. */
export function Avatar({ photo, name, alt = '', size }: AvatarProps) {
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
