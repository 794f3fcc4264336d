import styles from './tick-box.module.css';

export interface TickBoxProps {
  isTicked: boolean;
  /** Indeterminate: some of several rows are ticked. */
  isIndeterminate?: boolean;
  label: string;
  onTick: (isTicked: boolean) => void;
}

/** A checkbox with a touch-sized target and a label for screen readers only. */
export function TickBox({ isTicked, isIndeterminate = false, label, onTick }: TickBoxProps) {
  return (
    <label className={styles.box}>
      <input
        type="checkbox"
        checked={isTicked}
        ref={(input) => {
          if (input !== null) input.indeterminate = isIndeterminate && !isTicked;
        }}
        onChange={(event) => onTick(event.currentTarget.checked)}
        aria-label={label}
      />
    </label>
  );
}
