/**
 * The screens opened for the first time: how much they load, in how many steps, and when their content stands on
 * Lighthouse's mobile link, with a processor four times slower than this one. With Lighthouse's own judgement, which takes
 * minutes: `npm run bench -- open lighthouse`. More turns: `npm run bench -- open 9`.
 */
import { startLargeTeam } from '../shared/large-team.ts';
import { CATEGORIES, type Category, judge } from '../shared/lighthouse.ts';
import { measureBytes, measureContent, type OpenScreen } from '../shared/open-screens.ts';
import { conclude, type Verdict } from '../shared/report.ts';

const args = process.argv.slice(2);
const withLighthouse = args.includes('lighthouse');
const turns = Number(args.find((arg) => /^\d+$/u.test(arg)) ?? 5);

/** Scores below which Lighthouse's median fails, with the processor of a phone of the middle class. */
const GOALS: Record<OpenScreen['name'], Record<Category, number>> = {
  'sign-in': { performance: 95, accessibility: 95, 'best-practices': 95 },
  users: { performance: 90, accessibility: 95, 'best-practices': 95 },
  room: { performance: 90, accessibility: 95, 'best-practices': 95 },
};
/** The limits of kB are also in scripts/page-sizes.ts, which fails a build. */
const SCREENS: readonly OpenScreen[] = [
  { name: 'sign-in', path: '/signin', content: 'input[type=password]', isSignedIn: false, scriptMaxKb: 165 },
  { name: 'users', path: '/usersList?size=25', content: 'tbody tr', isSignedIn: true, scriptMaxKb: 265 },
  {
    name: 'room',
    path: '/groupCallView/Canal1',
    content: '[data-talk-button]',
    isSignedIn: true,
    scriptMaxKb: 300,
  },
];

const team = await startLargeTeam({ users: 100, channels: 10, memberships: 1_000, activities: 1_000 });
try {
  const figures: Record<string, unknown> = {};
  const verdicts: Verdict[] = [];
  for (const screen of SCREENS) {
    const bytes = await measureBytes(team.origin, team.admin.token, screen);
    const times = await measureContent(team.origin, team.admin.token, screen, turns);
    figures[screen.name] = { ...bytes, ...times };
    console.log(screen.name, JSON.stringify(figures[screen.name]));
    verdicts.push({
      what: `${screen.name}: JavaScript as sent`,
      value: bytes.scriptKb,
      limit: screen.scriptMaxKb,
      unit: 'kB',
    });
  }
  const lighthouse = withLighthouse ? await judge(team.origin, team.admin.token, SCREENS, turns) : null;
  if (lighthouse !== null) {
    const { benchmarkIndex, slowdown } = lighthouse;
    console.log(`Lighthouse's index of this machine is ${benchmarkIndex}: calibrated is ×${slowdown}, fixed is ×4`);
    for (const { name } of SCREENS) {
      const found = lighthouse.screens[name];
      console.log(`${name}, by Lighthouse`, JSON.stringify(found));
      for (const category of CATEGORIES) {
        const what = `${name}: short of Lighthouse's 100 in ${category}`;
        const limit = 100 - GOALS[name][category];
        verdicts.push({ what, value: 100 - found.scores[category], limit, unit: 'points' });
      }
    }
  }
  conclude('open', { turns, screens: figures, ...(lighthouse && { lighthouse }) }, verdicts);
} finally {
  await team.close();
}
