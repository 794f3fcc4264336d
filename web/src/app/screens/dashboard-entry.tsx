import type { Activity } from '@pressel/contract/activities';

export function DashboardEntry({ activity }: { activity: Activity }) {
  return <span>{activity.type}</span>;
}
