/** Facts that a user's tabs in one browser share with each other. */
export interface AlertTabs {
  /** Sets this tab's facts; all tabs see them until they are withdrawn or the tab is gone. */
  show(facts: ReadonlySet<string>): void;
  /** Runs `act` in one of the tabs that ask for the same name within `forMs`, with the facts of all tabs. */
  once(name: string, forMs: number, act: (facts: ReadonlySet<string>) => void): void;
  close(): void;
}

/** A tab that can't make sound yet lets other tabs go first, ms. */
const SILENT_WAITS_MS = 300;

/**
 * Uses the browser's locks, which end with their tab, however it ends. On plain http there are no locks: each tab acts
 * alone, as with the outbox (CHATS26).
 */
export function createAlertTabs(userId: string, page: Window = window): AlertTabs {
  const { locks } = page.navigator as Partial<Pick<Navigator, 'locks'>>;
  const prefix = `pressel.alerts.${userId}.`;
  const factPrefix = `${prefix}fact `;
  /** The function that ends each fact, by fact. */
  const own = new Map<string, () => void>();
  let isClosed = false;

  const allFacts = async (): Promise<ReadonlySet<string>> => {
    const { held = [] } = (await locks?.query()) ?? {};
    const told = held.flatMap(({ name = '' }) => (name.startsWith(factPrefix) ? [name.slice(factPrefix.length)] : []));
    return new Set([...own.keys(), ...told]);
  };
  const claim: AlertTabs['once'] = async (name, forMs, act) => {
    if (locks === undefined) return act(new Set(own.keys()));
    if (page.navigator.userActivation?.hasBeenActive === false) await pause(SILENT_WAITS_MS);
    await locks.request(`${prefix}once ${name}`, { ifAvailable: true }, async (lock) => {
      if (lock === null || isClosed) return;
      act(await allFacts());
      await pause(forMs);
    });
  };
  const begin = (fact: string): void => {
    const promise = new Promise<void>((resolve) => own.set(fact, resolve));
    // A shared lock, because the fact may hold in two tabs. The request fails only with its page.
    locks?.request(`${factPrefix}${fact}`, { mode: 'shared' }, () => promise).catch(() => undefined);
  };
  const end = (fact: string): void => {
    own.get(fact)?.();
    own.delete(fact);
  };

  return {
    show(facts) {
      if (isClosed) return;
      for (const fact of [...own.keys()]) if (!facts.has(fact)) end(fact);
      for (const fact of facts) if (!own.has(fact)) begin(fact);
    },
    once(name, forMs, act) {
      Promise.resolve(claim(name, forMs, act)).catch(reportError);
    },
    close() {
      isClosed = true;
      for (const fact of [...own.keys()]) end(fact);
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
