import { useEffect, useState } from 'react';

/** An object URL of a blob for as long as it is shown; undefined at first. */
export function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [shown, setShown] = useState<{ blob: Blob; url: string }>();
  useEffect(() => {
    if (blob === undefined) return;
    const url = URL.createObjectURL(blob);
    setShown({ blob, url });
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  return shown?.blob === blob ? shown?.url : undefined;
}
