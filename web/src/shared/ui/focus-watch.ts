/** Looks after the focused element; returns the function that ends it. */
export function watchFocus(say: (text: string) => void): () => void {
  const stops = [sayFieldFaults(say), keepFocusOfBusy()];
  return () => {
    for (const stop of stops) stop();
  };
}

/**
 * Says the fault of the focused field when it becomes faulty: after a submission by Enter, by the server's answer, or
 * while the user types. Screen readers say descriptions only when the field gets the focus (KEYS8).
 */
function sayFieldFaults(say: (text: string) => void): () => void {
  // A user who is led to a field hears its fault. Faults that arise after an action there have to be said.
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

/** Returns the words of its fault alone, without its permanent description. */
function faultOf(field: HTMLElement): string {
  const ids = field.getAttribute('aria-describedby')?.split(' ') ?? [];
  const id = ids.find((one) => one.endsWith('-error'));
  return (id === undefined ? undefined : document.getElementById(id))?.textContent ?? '';
}

/** Buttons are disabled while their action runs, and lose the focus by that. This gives it back afterwards (KEYS3). */
function keepFocusOfBusy(): () => void {
  let busy: HTMLElement | undefined;
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      if (target.hasAttribute('disabled')) {
        if (target === document.activeElement) busy = target;
      } else if (target === busy) {
        busy = undefined;
        // The browser removes the focus a moment after the button is disabled, and not at all if the action is short.
        if (document.activeElement === document.body) target.focus();
      }
    }
  });
  observer.observe(document.body, { subtree: true, attributeFilter: ['disabled'] });
  return () => observer.disconnect();
}
