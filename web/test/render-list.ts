interface Fiber {
  tag: number;
  flags: number;
  type: unknown;
  child: Fiber | null;
  sibling: Fiber | null;
  return: Fiber | null;
  alternate: Fiber | null;
  stateNode: unknown;
}

const PERFORMED_WORK = 1;

/**
 * Lists the names of the components that React renders, once each time: pass `onRender` to a Profiler around the page.
 * It reads React's tree, because a Profiler alone says only that something was rendered.
 */
export function createRenderList() {
  const names: string[] = [];
  const seen = new Set<string>();

  const note = (fiber: Fiber) => {
    const { alternate, type } = fiber;
    if (typeof type === 'function' && (fiber.flags & PERFORMED_WORK) !== 0) {
      names.push(type.name);
      seen.add(type.name);
    }
    // React didn't visit children that are the same as before.
    if (alternate !== null && fiber.child === alternate.child) return;
    for (let child = fiber.child; child !== null; child = child.sibling) note(child);
  };

  return {
    onRender() {
      const root = currentRoot();
      if (root !== undefined) note(root);
    },
    /** Returns the components rendered since the last call, sorted. */
    take: () => names.splice(0).toSorted(),
    /** Returns all components that were ever rendered. */
    seen: () => [...seen],
  };
}

function currentRoot(): Fiber | undefined {
  const place: object | null = document.querySelector('main');
  const [, of] = Object.entries(place ?? {}).find(([key]) => key.startsWith('__reactFiber$')) ?? [];
  let fiber = of as Fiber | undefined;
  while (fiber !== undefined && fiber.return !== null) fiber = fiber.return;
  return (fiber?.stateNode as { current: Fiber } | undefined)?.current;
}
