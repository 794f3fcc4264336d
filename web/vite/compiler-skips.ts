import { relative } from 'node:path';
import type { Plugin } from 'vite';

/**
 * Files with a component or hook that the React Compiler leaves as it is, so that it renders more often than it must. It
 * would say nothing. Reasons: `ref`: a ref is handed on, of which the compiler can't know that it is read later only;
 * `library`: the library returns functions that can't be kept; `syntax`: not supported yet.
 */
const KNOWN: Readonly<Record<string, 'ref' | 'library' | 'syntax'>> = {
  'app/room/room-members.tsx': 'library',
  'app/shell/stay-bar.tsx': 'ref',
  'features/channels/channel-fields.tsx': 'ref',
  'features/chat/message-list.tsx': 'library',
  'features/transfer/review/review-table.tsx': 'library',
  'features/users/form/add-user-dialog.tsx': 'ref',
  'features/users/form/edit-user-form.tsx': 'ref',
  'features/users/profile/own-password-form.tsx': 'ref',
  'features/users/profile/profile-form.tsx': 'ref',
  'features/voice/button/talk-button.tsx': 'ref',
  'shared/ui/form-dialog.tsx': 'ref',
};

/** Fails the build when the compiler skips something in a file that is not listed above. */
export function compilerSkips(): Plugin {
  const found = new Map<string, string>();
  return {
    name: 'compiler-skips',
    apply: 'build',
    config: () => ({
      build: {
        rolldownOptions: {
          onLog(level, log, report) {
            if (log.plugin !== 'vite:react-compiler') return report(level, log);
            const file = relative(import.meta.dirname, log.id ?? '').replace(/^\.\.[\\/]src[\\/]/u, '');
            if (!(file in KNOWN)) found.set(file, log.message);
          },
        },
      },
    }),
    buildEnd() {
      if (found.size > 0)
        this.error(`The React Compiler skipped, see vite/compiler-skips.ts:\n${[...found.values()].join('\n')}`);
    },
  };
}
