/**
 * Lists of a large team on the real server with its embedded database: what a page takes over HTTP, beside the same
 * statements run bare on the same database in the same run. Client and server share the machine.
 * Fewer turns: `npm run bench -- lists 20`.
 */
import { startLargeTeam } from '../shared/large-team.ts';
import { measureListCalls } from '../shared/list-calls.ts';
import { conclude } from '../shared/report.ts';

const [turns = 60] = process.argv.slice(2).map(Number);
const SIZE = { users: 10_000, channels: 1_000, memberships: 100_000, activities: 100_000 };

const team = await startLargeTeam(SIZE);
try {
  // What is measured in a browser on this team comes beside it: figures and verdicts of the same shape.
  const parts = { server: await measureListCalls(team, SIZE, turns) };
  const figures = Object.fromEntries(Object.entries(parts).map(([part, { figures: found }]) => [part, found]));
  conclude(
    'lists',
    { size: SIZE, turns, ...figures },
    Object.values(parts).flatMap(({ verdicts }) => verdicts),
  );
} finally {
  await team.close();
}
