import { useState } from 'react';

/** The outcome of the last copying; 'by hand': the browser lets no page copy, so the user has to. */
export type Copied = 'no' | 'yes' | 'by hand';

/** Copies texts to the clipboard. */
export function useCopy(): { copied: Copied; copy: (text: string) => void } {
  const [copied, setCopied] = useState<Copied>('no');
  return {
    copied,
    copy(text) {
      // Missing on pages that are neither https nor localhost.
      const clipboard: Clipboard | undefined = navigator.clipboard;
      if (clipboard === undefined) setCopied('by hand');
      else
        clipboard.writeText(text).then(
          () => setCopied('yes'),
          () => setCopied('by hand'),
        );
    },
  };
}
