import { useLanguage } from '#src/shared/i18n/use-language.ts';
import { type SnapshotSource, useSnapshot } from '#src/shared/use-snapshot.ts';
import { distanceText, type MapScale } from './map/map-scale.ts';
import styles from './positions.module.css';

/** Shows how far it is across some of the map. Screen readers get nothing of it. */
export function ScaleBar({ scale }: { scale: SnapshotSource<MapScale> }) {
  const { current: language } = useLanguage();
  const { metres, px } = useSnapshot(scale);
  return (
    <p className={styles.scale} style={{ width: px }} aria-hidden="true" data-map-scale={metres}>
      {distanceText(metres, language)}
    </p>
  );
}
