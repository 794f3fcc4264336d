import type { Feature, Platform } from '#src/platform/platform.ts';
import { recordActivities } from './activities.repository.ts';
import { createTalkLog, type TalkLog } from './talk-log.ts';

export function activitiesFeature({ db, now, log }: Platform): Feature<{ talkLog: Pick<TalkLog, 'add'> }> {
  const talkLog = createTalkLog((entries) => recordActivities(db, entries), now, log);
  return { api: { talkLog }, close: talkLog.close };
}
