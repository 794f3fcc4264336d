import { Button } from '@mantine/core';
import { cellText, joinChannelNames, splitChannelNames } from '@pressel/contract/import-rules';
import { NAME_MAX_LENGTH } from '@pressel/contract/limits';
import { roomKey } from '@pressel/contract/text';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { formatNumber } from '#src/shared/format/format.ts';
import { useLanguage, useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { folded } from '#src/shared/lists/folded.ts';
import type { Source } from '../import/import-source.ts';
import type { Import } from '../import/use-import.ts';
import { strayOf } from '../sheet/columns.ts';
import {
  hasSpacesAround,
  type ImportField,
  type ImportKind,
  type ImportRow,
  type JudgedRow,
} from '../sheet/import-kinds.ts';
import styles from './ask-list.module.css';
import type { Review } from './use-review.ts';

/** Letters and digits that nobody confuses when reading them out or copying them by hand: no i, l, o, 0, 1. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
/** Twelve of these are 59 bits: more than can be guessed, short enough to be typed once. */
const LENGTH = 12;

/** A password that nobody knows, of at least `minLength` characters. */
function generatePassword(minLength: number): string {
  const wanted = Math.max(LENGTH, minLength);
  let text = '';
  while (text.length < wanted) {
    for (const byte of crypto.getRandomValues(new Uint8Array(wanted))) {
      // There are 31 letters, so the last of the 32 values of five bits is skipped. All are then equally likely.
      const letter = LETTERS[byte % 32];
      if (letter !== undefined && text.length < wanted) text += letter;
    }
  }
  return text;
}

/** Suggestions for mistyped channels that are asked about one by one. */
const NEAR_SHOWN = 5;
const NAMES_SHOWN = 5;

/** Actions on many rows at once. `onMake`: asks whether to create channels of these names. */
export function useRowAsks(
  review: Review,
  passwordMinLength: number,
  onMake: (names: readonly string[]) => void,
): Ask[] {
  const { t } = useTranslation('transfer');
  const { rows, judged, editAll, isStale } = review;
  if (isStale) return [];
  const asks: Ask[] = [];
  const ask = (key: string, text: string, acts: Ask['acts'], samples?: readonly string[]) =>
    asks.push({ key, text, acts, ...(samples === undefined ? {} : { samples }) });

  const { near, others } = unknownChannels(judged, review.near);
  for (const { name, near: known } of near.slice(0, NEAR_SHOWN)) {
    const act = {
      label: t('ask.nearYes', { near: known }),
      onAct: () => editAll('canal', renamed(review, name, known)),
    };
    ask(`near ${name}`, t('ask.near', { name, near: known }), [act]);
  }
  if (others.length > 0) {
    const act = { label: t('ask.unknownMake', { count: others.length }), onAct: () => onMake(others) };
    ask('unknown', t('ask.unknown', { count: others.length }), [act], [namesShown(others)]);
  }

  const noPseudo = rowsWithout(judged, 'pseudo');
  if (noPseudo.length > 0) {
    const fill = () => editAll('pseudo', new Map(noPseudo.map((one) => [one.row, pseudoOf(one)])));
    ask('pseudo', t('ask.noPseudo', { count: noPseudo.length }), [{ label: t('ask.noPseudoFill'), onAct: fill }]);
  }
  const noPassword = rowsWithout(judged, 'password');
  if (noPassword.length > 0) {
    const fill = () =>
      editAll('password', new Map(noPassword.map(({ row }) => [row, generatePassword(passwordMinLength)])), 'made');
    ask('password', t('ask.noPassword', { count: noPassword.length }), [
      { label: t('ask.noPasswordFill'), onAct: fill },
    ]);
  }
  const noMap = rowsWithout(judged, 'mapRight');
  if (noMap.length > 0) {
    const fill = (word: string) => () => editAll('mapRight', new Map(noMap.map(({ row }) => [row, word])));
    ask('map', t('ask.noMap', { count: noMap.length }), [
      { label: t('ask.noMapNo'), onAct: fill('false') },
      { label: t('ask.noMapYes'), onAct: fill('true') },
    ]);
  }

  const spaced = rows.filter(({ password }) => hasSpacesAround(password));
  if (spaced.length > 0) {
    const trim = () => editAll('password', new Map(spaced.map(({ row, password }) => [row, cellText(password)])));
    ask('spaces', t('ask.spaces', { count: spaced.length }), [{ label: t('ask.spacesOff'), onAct: trim }]);
  }
  return asks;
}

const rowsWithout = (judged: readonly JudgedRow[], field: ImportField): JudgedRow[] =>
  judged.filter(({ faults }) => faults.some((fault) => fault.field === field && fault.code === 'missing'));

/** 'Léa M.' */
function pseudoOf({ cells: { firstName = '', lastName = '' } }: JudgedRow): string {
  const [initial = ''] = lastName;
  return `${firstName} ${initial}${initial && '.'}`.trim().slice(0, NAME_MAX_LENGTH);
}

/**
 * Returns the unknown channels of all rows, each once. The first group has a near one that exists or comes earlier in
 * the file (the same but for case and accents). The others are in the second.
 */
function unknownChannels(judged: readonly JudgedRow[], nearOf: Review['near']) {
  const names = new Map<string, string>();
  for (const { faults } of judged)
    for (const { code, names: unknown = [] } of faults)
      if (code === 'unknown_channel') for (const name of unknown) names.set(roomKey(name), name);
  const near: { name: string; near: string }[] = [];
  const others = new Map<string, string>();
  for (const [key, name] of names) {
    const nearest = nearOf.get(key)?.[0] ?? others.get(folded(name));
    if (nearest === undefined) others.set(folded(name), name);
    else near.push({ name, near: nearest });
  }
  return { near, others: [...others.values()] };
}

const namesShown = (names: readonly string[]): string =>
  names.slice(0, NAMES_SHOWN).join(', ') + (names.length > NAMES_SHOWN ? ', …' : '');

/** Returns the channel cells with one channel renamed, by row. */
function renamed({ judged }: Review, from: string, to: string): Map<number, string> {
  const cells = new Map<number, string>();
  for (const { row, cells: known } of judged) {
    const names = splitChannelNames(known.canal ?? '');
    if (!names.some((name) => roomKey(name) === roomKey(from))) continue;
    cells.set(row, joinChannelNames(names.map((name) => (roomKey(name) === roomKey(from) ? to : name))));
  }
  return cells;
}

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

/** Something about the file that the user has to know or decide. */
interface Ask {
  key: string;
  text: string;
  /** Samples of the data in question. */
  samples?: readonly string[];
  /** Rows may be lost, so nothing is sent before the answer. */
  isUrgent?: boolean;
  acts: readonly { label: string; onAct: () => void; isFirst?: boolean }[];
}

/** Questions about a file, each with its answers. The list is there when the user arrives, so it isn't announced again. */
export function AskList({ asks }: { asks: readonly Ask[] }) {
  const { t } = useTranslation('transfer');
  if (asks.length === 0) return null;
  return (
    <ul className={styles.asks} aria-label={t('ask.title')}>
      {asks.map(({ key, text, samples, isUrgent, acts }) => {
        const Icon = isUrgent ? IconAlertTriangle : IconInfoCircle;
        return (
          <li key={key} className={styles.ask} data-urgent={isUrgent || undefined}>
            <Icon className={styles.icon} size={18} aria-hidden="true" />
            <div className={styles.what}>
              <p>{text}</p>
              {samples !== undefined && samples.length > 0 && (
                <ul className={styles.samples}>
                  {samples.map((sample) => (
                    <li key={sample}>
                      <bdi>{sample}</bdi>
                    </li>
                  ))}
                </ul>
              )}
            </div>
            <div className={styles.acts}>
              {acts.map(({ label, onAct, isFirst }) => (
                <Button key={label} size="compact-md" variant={isFirst ? 'filled' : 'default'} onClick={onAct}>
                  {label}
                </Button>
              ))}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
