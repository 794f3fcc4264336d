import { type DragEvent, useState } from 'react';

/** Takes files that are dropped on an element. Text that is dragged into a field goes its own way. */
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

/** For this element alone: a dialog's events also reach the elements that it stands over, as React counts them. */
const claim = (event: DragEvent) => {
  event.preventDefault();
  event.stopPropagation();
};
