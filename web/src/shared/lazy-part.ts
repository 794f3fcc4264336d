import { type ComponentType, createElement, type LazyExoticComponent, lazy } from 'react';
import { part } from './renewal.ts';

/** Parts that failed to load, to be loaded again. */
const failed = new Set<() => void>();

/**
 * A component whose code is loaded when it is first shown. React keeps a failure for good, so showing it again would
 * fail at once. After `retryParts` it is loaded again.
 */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loadPart = part(load);
  const make = (): LazyExoticComponent<ComponentType<Props>> =>
    lazy(async () => {
      try {
        return { default: await loadPart() };
      } catch (error) {
        failed.add(() => {
          current = make();
        });
        throw error;
      }
    });
  let current = make();
  return (props) => createElement(current, props as never);
}

/** Makes failed parts load again when they are next shown. */
export function retryParts(): void {
  for (const renew of failed) renew();
  failed.clear();
}
