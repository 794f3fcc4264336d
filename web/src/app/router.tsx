import { z } from '@pressel/contract/zod';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouterHistory,
} from '@tanstack/react-router';
import { activitiesSearch } from '#src/features/activities/activities-view.ts';
import { panel } from '#src/features/room/panel-names.ts';
import { WORDS_BUNDLES, type WordsBundle } from '#src/shared/i18n/words-bundles.ts';
import { loadableChunk } from '#src/shared/renewal.ts';
import {
  enterOnTheWay,
  loadSession,
  type RouterContext,
  redirectFromRoot,
  requireNoSession,
  requireSession,
} from './guards.ts';
import { CrashPage, NotFoundPage, PendingPage } from './pages/plain-page.tsx';
import {
  dashboardSearch,
  descending,
  filter,
  listSearch,
  parseSearch,
  searchBy,
  stringifySearch,
} from './search-params.ts';

// Dynamic imports are in functions of their own, because the React Compiler skips components that contain one.
const consoleLayout = loadableChunk(() => import('./console-layout.tsx'));
const activitiesRoute = loadableChunk(() => import('./activities-route.tsx'));
const boardRoute = loadableChunk(() => import('./board/board-route.tsx'));
const accountRoutes = loadableChunk(() => import('./account-routes.tsx'));
const channelsRoutes = loadableChunk(() => import('./channels-routes.tsx'));
const dashboardRoute = loadableChunk(() => import('./dashboard-route.tsx'));
const doors = loadableChunk(() => import('./doors.tsx'));
const signUpRoute = loadableChunk(() => import('./sign-up-route.tsx'));
const roomRoutes = loadableChunk(() => import('./room-routes.tsx'));
const transferRoutes = loadableChunk(() => import('./transfer-routes.tsx'));
const userCallRoute = loadableChunk(() => import('./user-call-route.tsx'));
const videoRoute = loadableChunk(() => import('./video-route.tsx'));
const usersRoute = loadableChunk(() => import('./users-route.tsx'));

/** Loads the words of a screen beside its code. */
const withWords =
  (...bundles: readonly WordsBundle[]) =>
  ({ context }: { context: RouterContext }) =>
    context.loadWords(bundles.flatMap((bundle) => [...WORDS_BUNDLES[bundle]]));

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: CrashPage,
});

const index = createRoute({ getParentRoute: () => root, path: '/', beforeLoad: redirectFromRoot });

/** A room's search parameters: its panel, and the members' filter and order. */
const roomSearch = searchBy(() =>
  z.object({ panel: panel.optional().catch(undefined), q: filter(), desc: descending() }),
);

// Paths match case-insensitively, so this also serves /Signin.
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/signin',
  validateSearch: searchBy(() => z.object({ next: z.string().optional().catch(undefined) })),
  beforeLoad: requireNoSession,
  component: lazyRouteComponent(doors, 'SignInRoute'),
});

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/signup',
  beforeLoad: requireNoSession,
  component: lazyRouteComponent(signUpRoute, 'SignUpRoute'),
});

const consoleArea = createRoute({
  getParentRoute: () => root,
  id: 'console',
  beforeLoad: requireSession,
  loader: withWords('channels'),
  component: lazyRouteComponent(consoleLayout, 'ConsoleLayout'),
});

const dashboard = createRoute({
  getParentRoute: () => consoleArea,
  path: '/dashboard',
  validateSearch: searchBy(dashboardSearch),
  component: lazyRouteComponent(dashboardRoute, 'DashboardRoute'),
});

const usersList = createRoute({
  getParentRoute: () => consoleArea,
  path: '/usersList',
  validateSearch: searchBy(listSearch),
  loader: withWords('users'),
  component: lazyRouteComponent(usersRoute, 'UsersRoute'),
});

const channelsList = createRoute({
  getParentRoute: () => consoleArea,
  path: '/channelsList',
  validateSearch: searchBy(listSearch),
  loader: withWords('users'),
  component: lazyRouteComponent(channelsRoutes, 'ChannelsRoute'),
});

const usersImport = createRoute({
  getParentRoute: () => consoleArea,
  path: '/usersList/import',
  loader: withWords('users'),
  component: lazyRouteComponent(transferRoutes, 'UsersImportRoute'),
});

const channelsImport = createRoute({
  getParentRoute: () => consoleArea,
  path: '/channelsList/import',
  loader: withWords('users'),
  component: lazyRouteComponent(transferRoutes, 'ChannelsImportRoute'),
});

const profile = createRoute({
  getParentRoute: () => consoleArea,
  path: '/profile',
  loader: withWords('users'),
  component: lazyRouteComponent(accountRoutes, 'ProfileRoute'),
});

const activities = createRoute({
  getParentRoute: () => consoleArea,
  path: '/activities',
  validateSearch: searchBy(activitiesSearch),
  loader: withWords('activities'),
  component: lazyRouteComponent(activitiesRoute, 'ActivitiesRoute'),
});

/** Several rooms at once: a trial page that nothing in the console links to. */
const board = createRoute({
  getParentRoute: () => consoleArea,
  path: '/board',
  validateSearch: searchBy(() => z.object({ rooms: z.string().optional().catch(undefined) })),
  loader: withWords('voice'),
  component: lazyRouteComponent(boardRoute, 'BoardRoute'),
});

const groupCall = createRoute({
  getParentRoute: () => consoleArea,
  path: '/groupCallView/$roomId',
  validateSearch: roomSearch,
  beforeLoad: enterOnTheWay(),
  loader: withWords('voice'),
  component: lazyRouteComponent(roomRoutes, 'GroupCallRoute'),
});

const enterMobileRoom = enterOnTheWay();
const mobileCall = createRoute({
  getParentRoute: () => root,
  path: '/mobileCallView/$roomId',
  validateSearch: roomSearch,
  beforeLoad: async (args) => {
    await loadSession(args);
    await enterMobileRoom(args);
  },
  loader: withWords('channels', 'voice'),
  component: lazyRouteComponent(roomRoutes, 'MobileCallRoute'),
});

const join = createRoute({
  getParentRoute: () => root,
  path: '/join/$roomId',
  beforeLoad: loadSession,
  loader: withWords('channels', 'voice', 'video'),
  component: lazyRouteComponent(videoRoute, 'JoinRoute'),
});

const userCall = createRoute({
  getParentRoute: () => root,
  path: '/userCallView/$',
  beforeLoad: loadSession,
  loader: withWords('channels', 'voice'),
  component: lazyRouteComponent(userCallRoute, 'UserCallRoute'),
});

// Every other address, /notFound too.
const lost = createRoute({
  getParentRoute: () => root,
  path: '$',
  beforeLoad: loadSession,
  loader: withWords('channels'),
  component: lazyRouteComponent(consoleLayout, 'LostRoute'),
});

const routeTree = root.addChildren([
  index,
  signIn,
  signUp,
  consoleArea.addChildren([
    dashboard,
    usersList,
    usersImport,
    channelsList,
    channelsImport,
    activities,
    profile,
    board,
    groupCall,
  ]),
  mobileCall,
  join,
  userCall,
  lost,
]);

/** All routes of the app (spec §2). Tests pass their own history. */
export const createAppRouter = (context: RouterContext, history?: RouterHistory) =>
  createRouter({
    routeTree,
    context,
    ...(history === undefined ? {} : { history }),
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: 300,
    defaultPendingComponent: PendingPage,
    // Replaces only the page: everything around it goes on, a conversation too.
    defaultErrorComponent: CrashPage,
    scrollRestoration: true,
  });
export type AppRouter = ReturnType<typeof createAppRouter>;

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
  interface HistoryState {
    /** The login just registered, prefilled in the sign-in form. Not in the URL, because it is personal data. */
    registeredLogin?: string;
  }
}
