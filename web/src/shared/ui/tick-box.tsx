import styles from './tick-box.module.css';

export interface TickBoxProps {
  isTicked: boolean;
  /** Some of what it stands for is ticked. */
  isPartly?: boolean;
  label: string;
  onTick: (isTicked: boolean) => void;
}

/** A box to tick, large enough for a finger, named for screen readers alone. */
export function TickBox({ isTicked, isPartly = false, label, onTick }: TickBoxProps) {
  return (
    <label className={styles.box}>
      <input
        type="checkbox"
        checked={isTicked}
        ref={(input) => {
          if (input !== null) input.indeterminate = isPartly && !isTicked;
        }}
        onChange={(event) => onTick(event.currentTarget.checked)}
        aria-label={label}
      />
    </label>
  );
}
