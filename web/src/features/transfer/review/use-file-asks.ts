import { formatNumber } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { Source } from '../import/import-source.ts';
import type { Import } from '../import/use-import.ts';
import type { ImportKind, ImportRow } from '../import-kinds.ts';
import { strayOf } from '../sheet/columns.ts';
import type { Ask } from './ask-list.tsx';

/** Questions about how the file was read, until they are answered. `rows`: as edited now. */
export function useFileAsks(kind: ImportKind, source: Source, rows: readonly ImportRow[], work: Import): Ask[] {
  const { t } = useTranslation('transfer');
  const { current } = useLanguage();
  const { chosen, options, settled, mapping } = source;
  const asks: Ask[] = [];

  const quote = chosen.text?.strayQuote;
  if (quote !== undefined && settled.quotes !== true) {
    asks.push({
      key: 'quotes',
      text: t('ask.quote', {
        line: String(quote),
        lines: formatNumber(chosen.text?.lines ?? 0, current),
        // The row of titles counts as a line.
        rows: formatNumber(chosen.sheet.rows.length + (options.header === 'none' ? 0 : 1), current),
      }),
      isUrgent: true,
      acts: [
        {
          label: t('ask.quoteLetters'),
          onAct: () => void work.reread(source, rows, { ...options, quotes: 'letters' }, true),
          isFirst: true,
        },
        { label: t('ask.asRead'), onAct: () => work.settle('quotes') },
      ],
    });
  }

  const stray = strayOf(chosen.sheet, mapping);
  if (stray !== undefined && settled.stray !== true) {
    const field = kind === 'users' ? 'canal' : 'name';
    const filled = mapping.map((one, column) => (stray.columns.includes(column) ? field : one));
    asks.push({
      key: 'stray',
      text: t('ask.stray', { count: stray.count }),
      samples: stray.samples.map(({ row, text }) => t('ask.sample', { row: String(row), text })),
      isUrgent: true,
      acts: [
        { label: t('ask.strayChannels'), onAct: () => work.remap(source, rows, filled), isFirst: true },
        { label: t('ask.strayColumns'), onAct: () => work.toColumns(source, rows) },
        { label: t('ask.strayLeave'), onAct: () => work.settle('stray') },
      ],
    });
  }
  return asks;
}
