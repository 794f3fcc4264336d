import { relative } from 'node:path';
import type { Plugin } from 'vite';

/**
 * Components and hooks that the React Compiler skips without a message, so that they render more often than they must.
 * The table has their number in each file, and why. `ref`: a ref is handed on, and the compiler can't know that it is
 * read only later. `library`: the library returns functions that can't be memoised.
 */
const KNOWN: Readonly<Record<string, readonly [count: number, why: 'ref' | 'library']>> = {
  'features/members/member-list.tsx': [1, 'library'],
  'features/channels/channel-fields.tsx': [1, 'ref'],
  'features/chat/message-list.tsx': [1, 'library'],
  'features/transfer/review/review-table.tsx': [1, 'library'],
  'features/users/form/add-user-dialog.tsx': [1, 'ref'],
  'features/users/form/edit-user-dialog.tsx': [1, 'ref'],
  'features/users/profile/profile-page.tsx': [2, 'ref'],
  'shared/ui/form-dialog.tsx': [1, 'ref'],
};

/** Fails the build when the compiler skips something that is not listed above, or no longer skips what is. */
export function compilerSkips(): Plugin {
  /** The compiler's messages for each place, by file. It repeats some of them. */
  const found = new Map<string, Map<string, string>>();
  return {
    name: 'compiler-skips',
    apply: 'build',
    config: () => ({
      build: {
        rolldownOptions: {
          onLog(level, log, report) {
            if (log.plugin !== 'vite:react-compiler') return report(level, log);
            const file = relative(import.meta.dirname, log.id ?? '').replace(/^\.\.[\\/]src[\\/]/u, '');
            const place = /:(\d+:\d+)\]/u.exec(log.message)?.[1] ?? log.message;
            found.set(file, (found.get(file) ?? new Map()).set(place, log.message));
          },
        },
      },
    }),
    buildEnd(error) {
      if (error !== undefined) return;
      const files = new Set([...found.keys(), ...Object.keys(KNOWN)]);
      for (const file of files) {
        const [said, listed] = [[...(found.get(file)?.values() ?? [])], KNOWN[file]?.[0] ?? 0];
        if (said.length === listed) continue;
        this.error(
          [
            `The React Compiler skipped ${said.length} in ${file}, vite/compiler-skips.ts lists ${listed}:`,
            ...said,
          ].join('\n'),
        );
      }
    },
  };
}
