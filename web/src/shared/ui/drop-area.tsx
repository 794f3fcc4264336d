import type { TablerIcon } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useState } from 'react';
import styles from './drop-area.module.css';

export interface DropAreaProps {
  /** Types and endings offered when browsing, as in an input's `accept`. */
  accept: string;
  onFiles: (files: readonly File[]) => void;
  /** Renders the content with a function that opens the choice of a file, for a button: the way by keyboard and touch. */
  children: (browse: () => void) => ReactNode;
}

/** A place to drop a file on, or to choose one. */
export function DropArea({ accept, onFiles, children }: DropAreaProps) {
  const [input, setInput] = useState<HTMLInputElement | null>(null);
  const { isOver, handlers } = useFileDrop(onFiles);
  const browse = () => input?.click();
  return (
    <div className={styles.area} data-drop-area="" data-over={isOver || undefined} {...handlers}>
      {children(browse)}
      <input
        ref={setInput}
        type="file"
        accept={accept}
        hidden
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // Allows choosing the same file again, corrected meanwhile.
          event.currentTarget.value = '';
        }}
      />
    </div>
  );
}

export interface DropInvitationProps {
  icon: TablerIcon;
  title: string;
  limits: string;
  /** The button that opens the file choice. */
  children: ReactNode;
}

/** The text of an empty drop area. */
export function DropInvitation({ icon: Icon, title, limits, children }: DropInvitationProps) {
  return (
    <>
      <Icon className={styles.icon} stroke={1.5} aria-hidden="true" />
      <p className={styles.title}>{title}</p>
      {children}
      <p className={styles.limits}>{limits}</p>
    </>
  );
}

/** Accepts files that are dropped on an element. Dragged text isn't handled here. */
export function useFileDrop(onFiles: (files: readonly File[]) => void) {
  const [isOver, setOver] = useState(false);
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!event.dataTransfer.types.includes('Files')) return;
        claim(event);
        setOver(true);
      },
      onDragLeave(event: DragEvent) {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop(event: DragEvent) {
        setOver(false);
        if (event.dataTransfer.files.length === 0) return;
        claim(event);
        onFiles([...event.dataTransfer.files]);
      },
    },
  };
}

/** Only for this element: in React, a dialog's events also bubble to the elements that rendered it. */
const claim = (event: DragEvent) => {
  event.preventDefault();
  event.stopPropagation();
};
