import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { PaneBorder } from './pane-border.tsx';

/** Shows the people pane's border, set to 640 px in a larger window; in this one it is at `left`. */
function show(left: number) {
  vi.spyOn(HTMLElement.prototype, 'offsetLeft', 'get').mockReturnValue(left);
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(11);
  HTMLElement.prototype.setPointerCapture = () => undefined;
  const onChange = vi.fn();
  render(<PaneBorder pane="people" label="bord" value={640} onChange={onChange} />);
  return { onChange, border: screen.getByRole('separator') };
}

test('[ROOM4] a pane that the window made narrower is dragged from where its border stands', () => {
  const { onChange, border } = show(435);
  fireEvent.pointerDown(border, { button: 0, clientX: 440 });
  fireEvent.pointerMove(border, { clientX: 430 });
  expect(onChange).toHaveBeenLastCalledWith(430);
  fireEvent.pointerMove(border, { clientX: 450 });
  expect(onChange).toHaveBeenLastCalledWith(450);
});

test('[ROOM4] and is moved from there by keys', () => {
  const { onChange, border } = show(435);
  fireEvent.keyDown(border, { key: 'ArrowLeft' });
  expect(onChange).toHaveBeenLastCalledWith(424);
});

test('[ROOM4] a pane as wide as it was set keeps to that', () => {
  const { onChange, border } = show(635);
  fireEvent.keyDown(border, { key: 'ArrowLeft' });
  expect(onChange).toHaveBeenLastCalledWith(624);
});
