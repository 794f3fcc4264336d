import { hearsOfLog } from '#src/accounts/policies.ts';
import type { Db } from '#src/db/connect.ts';
import { audience, type Sockets } from '#src/sockets/sockets.ts';
import { countAll } from './activities.repository.ts';

/** Tells administrators how many entries were added since they were told last (LOG50). */
export interface ActivityNews {
  /** Call it when an administrator comes: entries added from then on are told. */
  begin(): Promise<void>;
  /** Call it about once a second. */
  tell(): Promise<void>;
}

type Totals = Awaited<ReturnType<typeof countAll>>;

export function createActivityNews({ db, sockets }: { db: Db; sockets: Pick<Sockets, 'local' | 'all'> }): ActivityNews {
  /** Null while nobody listens: an administrator who comes reads the log. */
  let told: Promise<Totals> | null = null;

  const isHeard = (): boolean => {
    for (const { data } of sockets.all()) if (hearsOfLog(data.session)) return true;
    return false;
  };
  const count = (): Promise<Totals> => {
    const before = told;
    const counting = countAll(db);
    told = counting;
    // If this count fails, the next one is compared with what was told before.
    counting.catch(() => {
      if (told === counting) told = before;
    });
    return counting;
  };

  return {
    async begin() {
      if (told === null) await count();
    },

    async tell() {
      if (!isHeard()) {
        told = null;
        return;
      }
      const before = await told;
      const totals = await count();
      if (before === null) return;
      // The count falls when old entries were cleared meanwhile.
      const news = { spec: Math.max(0, totals.spec - before.spec), audit: Math.max(0, totals.audit - before.audit) };
      if (news.spec + news.audit > 0) sockets.local.to(audience.admins).emit('activities_added', news);
    },
  };
}
