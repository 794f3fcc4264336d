import { getRouteApi } from '@tanstack/react-router';
import { ActivitiesPage } from '#src/features/activities/activities-page.tsx';
import { type ActivitiesView, changedActivities } from '#src/features/activities/activities-view.ts';
import { useUser } from '#src/shared/services.tsx';
import { AdminsOnlyPage } from './pages/plain-page.tsx';

const activitiesRoute = getRouteApi('/console/activities');

/** Typed text gets no history entry of its own; a page or a choice does (LOGS9). */
const isTyped = (change: Partial<ActivitiesView>) => 'q' in change && Object.keys(change).length === 1;

export function ActivitiesRoute() {
  const isAdmin = useUser().role === 'admin';
  const view = activitiesRoute.useSearch();
  const navigate = activitiesRoute.useNavigate();
  if (!isAdmin) return <AdminsOnlyPage />;
  return (
    <ActivitiesPage
      view={view}
      onView={(change, isNoStep = false) =>
        void navigate({
          search: (known) => changedActivities(known, change),
          replace: isNoStep || isTyped(change),
        })
      }
    />
  );
}
