import { type ComponentType, createElement, type LazyExoticComponent, lazy } from 'react';
import { part } from './renewal.ts';

/** What could not be loaded, to be loaded anew. */
const failed = new Set<() => void>();

/**
 * A component whose code is loaded when it is first shown. React keeps a failure for good, so that showing it again would
 * fail at once: after `retryParts` it is loaded anew.
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

/** Has what failed to load be loaded anew when it is next shown. */
export function retryParts(): void {
  for (const renew of failed) renew();
  failed.clear();
}
