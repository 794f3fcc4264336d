import { type DragEvent, useState } from 'react';

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
