import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Person } from './build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from './cluster.ts';
import { caughtUp, makeTeam, type Team } from './factories.ts';
import { breakLink, joinResumable } from './resuming.ts';
import { watchStatements } from './statements.ts';
import { waitUntil } from './wait-until.ts';

/** The statements of a client that comes back to its room by another process, and how each is known. */
const OF_A_RETURN = {
  'the session of its token': /from "sessions" inner join "users"/u,
  'whether the session goes on': /from "sessions" where/u,
  'begins its row': /^begin$/u,
  'is the first of its user': /pg_advisory_xact_lock/u,
  'its row': /^insert into user_sockets/u,
  'ends its row': /^commit$/u,
  'the channels of its user': /from "channel_members"/u,
  'the right to the map': /"map_right" = /u,
  'a call that rings': /"calls"\."accepted_at" is null/u,
  'missed calls': /from "calls" where .* group by/u,
  'its rows at the other process': /^with asked as/u,
  'the channel and its membership': /from unnest\(.*"channels"/u,
  'who is in the room': /from "user_sockets" left join "users"/u,
  'the floor': /from \(select floor\(/u,
} satisfies Record<string, RegExp>;

/** The statements of the former process when it hears of that. */
const OF_THE_OTHER = /^select distinct "socket_id"/u;

describe.skipIf(!hasRedis)('a client that comes back by another process', () => {
  let cluster: TestCluster;
  let team: Team;
  beforeEach(async () => {
    cluster = await buildCluster({ resumeMs: 60_000, presenceRepairMs: 60_000 });
    team = await makeTeam(cluster.processes[0] as never);
  });
  afterEach(() => cluster.close());

  test('[PROC98] it costs fourteen statements, and the others hear of nothing', async () => {
    const [one, two] = cluster.processes as [TestCluster['processes'][0], TestCluster['processes'][0]];
    const bo = await joinResumable(await one.connect(team.bo.token), team.nord);
    // The floor has its row, as after any earlier talk, and the process a copy of it.
    await joinResumable(await two.connect(team.admin.token), team.nord);
    const ana = await joinResumable(await one.connect(team.ana.token), team.nord);
    // Until then a process may still read for news of those entrances.
    const isTold = ({ id }: Person) =>
      bo
        .waiting('onUserStatusChanged')
        .some(({ users }) => users.some(({ userId, user_sockets: [first] }) => userId === id && first?.channelId));
    await waitUntil(() => [team.bo, team.admin, team.ana].every(isTold));
    bo.waiting('onUserStatusChanged').splice(0);

    const watch = watchStatements();
    const back = await joinResumable(await two.connect(team.ana.token), team.nord, ana.token, { claim: 1 });
    await Promise.all([back.next('missed_calls'), back.next('map_right')]);
    watch.stop();
    expect(back.state.self.id).toBe(ana.id);
    const asked = watch.texts.filter((text) => !OF_THE_OTHER.test(text));
    const kinds = Object.entries(OF_A_RETURN);
    const whatIs = (text: string) => kinds.find(([, known]) => known.test(text))?.[0] ?? text;
    expect(asked.map(whatIs).toSorted()).toEqual(Object.keys(OF_A_RETURN).toSorted());
    breakLink(back);
    await caughtUp(bo);
    expect(bo.waiting('onUserStatusChanged')).toEqual([]);
  });
});
