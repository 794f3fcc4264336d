/**
 * Lists of a large team on the real server with its embedded database. A page over HTTP stands beside the same statements, run bare on the
 * same database in the same run. The same lists in a browser stand beside a bare page that asks the same and puts the rows into a table.
 * All share the machine.
 * Fewer turns: `npm run bench -- lists 20`.
 */
import { startLargeTeam } from '../shared/large-team.ts';
import { measureListCalls } from '../shared/list-calls.ts';
import { measureListScreens } from '../shared/list-screens.ts';
import { conclude } from '../shared/report.ts';

const [turns = 60] = process.argv.slice(2).map(Number);
const SIZE = { users: 10_000, channels: 1_000, memberships: 100_000, activities: 100_000 };

const team = await startLargeTeam(SIZE);
try {
  const server = await measureListCalls(team, SIZE, turns);
  const browser = await measureListScreens(team, SIZE, Math.ceil(turns / 2));
  conclude('lists', { size: SIZE, turns, server: server.figures, browser: browser.figures }, [
    ...server.verdicts,
    ...browser.verdicts,
  ]);
} finally {
  await team.close();
}
