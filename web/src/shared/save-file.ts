/** Starts the download of a file. */
export function saveFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Revoked later, because some browsers read the URL only after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
