import { expect, test, vi } from 'vitest';
import { createListeners } from './listeners.ts';

const reported = () => {
  const errors: unknown[] = [];
  vi.spyOn(window, 'reportError').mockImplementation((error) => void errors.push(error));
  return errors;
};

test('a listener that throws is reported, and all after it hear', () => {
  const errors = reported();
  const { add, notify } = createListeners<string>();
  const heard: string[] = [];
  const fault = new Error('a fault of one listener');
  add(() => {
    throw fault;
  });
  add((value) => heard.push(value));
  notify('lost');
  expect(heard).toEqual(['lost']);
  expect(errors).toEqual([fault]);
});

test('a listener that is to be first hears before those that came earlier', () => {
  const { add, notify } = createListeners();
  const heard: string[] = [];
  add(() => heard.push('chat'));
  add(() => heard.push('voice'), 'first');
  notify();
  expect(heard).toEqual(['voice', 'chat']);
});

test('a listener that another one removes is not called any more, and one that is added twice is called twice', () => {
  const { add, notify } = createListeners();
  const heard: string[] = [];
  const note = () => void heard.push('twice');
  add(() => stop());
  add(note);
  add(note);
  const stop = add(() => heard.push('removed'));
  notify();
  expect(heard).toEqual(['twice', 'twice']);
});
