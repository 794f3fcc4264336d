import { type DragEvent, useState } from 'react';

/** The first file of what was dropped or pasted; undefined when there is none. */
export const fileOf = (data: Pick<DataTransfer, 'files'>): File | undefined => data.files[0];

/** Takes files that are dropped on an element. Text that is dragged into a field goes its own way. */
export function useFileDrop(onFile: (file: File) => void) {
  const [isOver, setOver] = useState(false);
  const carriesFile = (event: DragEvent) => event.dataTransfer.types.includes('Files');
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!carriesFile(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave(event: DragEvent) {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      },
      onDrop(event: DragEvent) {
        setOver(false);
        const file = fileOf(event.dataTransfer);
        if (file === undefined) return;
        event.preventDefault();
        onFile(file);
      },
    },
  };
}
