/** Looks after whatever has the focus; returns what ends it. */
export function watchFocus(say: (text: string) => void): () => void {
  const stops = [sayFieldFaults(say), keepFocusOfBusy()];
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Says what is wrong with the field that has the focus when it becomes so: after a submission by its Enter key, by the
 * server's answer, or while one types. Readers say descriptions on the way into a field alone (KEYS8).
 */
function sayFieldFaults(say: (text: string) => void): () => void {
  // Who is led to a field hears what is wrong with it. What becomes wrong after something was done there has to be said.
  let isArriving = false;
  const arrive = () => {
    isArriving = true;
  };
  const stay = () => {
    isArriving = false;
  };
  const observer = new MutationObserver((changes) => {
    for (const { target, oldValue } of changes) {
      if (!(target instanceof HTMLElement) || target !== document.activeElement) continue;
      if (oldValue === 'true' || target.getAttribute('aria-invalid') !== 'true') continue;
      if (!isArriving) say(faultOf(target));
    }
  });
  document.addEventListener('focusin', arrive);
  document.addEventListener('keydown', stay, true);
  document.addEventListener('pointerdown', stay, true);
  observer.observe(document.body, { subtree: true, attributeFilter: ['aria-invalid'], attributeOldValue: true });
  return () => {
    document.removeEventListener('focusin', arrive);
    document.removeEventListener('keydown', stay, true);
    document.removeEventListener('pointerdown', stay, true);
    observer.disconnect();
  };
}

/** The words of its fault alone, without those that describe it always. */
function faultOf(field: HTMLElement): string {
  const ids = field.getAttribute('aria-describedby')?.split(' ') ?? [];
  const id = ids.find((one) => one.endsWith('-error'));
  return (id === undefined ? undefined : document.getElementById(id))?.textContent ?? '';
}

/** Buttons are disabled while what they do goes on, and lose the focus by that: they get it back afterwards (KEYS3). */
function keepFocusOfBusy(): () => void {
  let busy: HTMLElement | undefined;
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      if (target.hasAttribute('disabled')) {
        if (target === document.activeElement) busy = target;
      } else if (target === busy) {
        busy = undefined;
        // The browser takes the focus away a moment after the button is disabled, and not from a short act.
        if (document.activeElement === document.body) target.focus();
      }
    }
  });
  observer.observe(document.body, { subtree: true, attributeFilter: ['disabled'] });
  return () => observer.disconnect();
}
