import { type ComponentType, createElement, type LazyExoticComponent, lazy } from 'react';
import { loadableChunk } from './renewal.ts';

/** Parts that failed to load, to be loaded again. */
const failed = new Set<() => void>();

/**
 * A component whose code is loaded when it is first shown. React keeps a failure for good, so showing it again would
 * fail at once. After `retryParts` it is loaded again.
 */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  const loadPart = loadableChunk(load);
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
export function retryFailedComponents(): void {
  for (const renew of failed) renew();
  failed.clear();
}
