import type { ImportField, ImportKind } from './import-kinds.ts';

// Imported by the worker that reads files, so this file must not import the contract's code (bundle size).

/** Known headers, in the three languages and from other systems' exports, as normalised by `headerKey`. */
const SYNONYMS: Record<ImportField, readonly string[]> = {
  firstName: ['firstname', 'prenom', 'givenname', 'forename', 'vorname'],
  lastName: ['lastname', 'nom', 'nomdefamille', 'surname', 'familyname', 'name', 'nachname', 'familienname'],
  identifier: [
    'identifier',
    'identifiant',
    'login',
    'loginname',
    'email',
    'emailaddress',
    'mail',
    'adressemail',
    'adresseemail',
    'adresseelectronique',
    'nomdutilisateur',
    'nomutilisateur',
    'courriel',
    'username',
    'benutzername',
    'anmeldename',
    'kennung',
    'emailadresse',
  ],
  pseudo: ['pseudo', 'pseudonyme', 'nickname', 'alias', 'surnom', 'spitzname', 'pseudonym', 'rufname'],
  password: ['password', 'motdepasse', 'mdp', 'passe', 'passwort', 'kennwort'],
  mapRight: [
    'mapright',
    'droitcarte',
    'accescarte',
    'accesalacarte',
    'droitalacarte',
    'droitdaccesalacarte',
    'droitdaccescarte',
    'accesacarte',
    'carte',
    'mapaccess',
    'map',
    'kartenzugriff',
    'kartenrecht',
    'zugriffaufkarte',
    'maprights',
    'accesstomap',
    'accesstothemap',
    'karte',
  ],
  phoneNumber: [
    'phonenumber',
    'phone',
    'telephone',
    'numerodetelephone',
    'tel',
    'mobile',
    'portable',
    'telefon',
    'telefonnummer',
    'handy',
  ],
  role: ['role', 'rolle'],
  canal: ['canal', 'canaux', 'channel', 'channels', 'kanal', 'kanale', 'kanaele'],
  name: ['name', 'nom', 'canal', 'nomducanal', 'nomcanal', 'channel', 'channelname', 'kanal', 'kanalname'],
};

/** A header without case, accents, spaces and punctuation. */
export const headerKey = (header: string): string =>
  header
    .normalize('NFD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

const USER_HEADERS = Object.keys(SYNONYMS).filter((field): field is ImportField => field !== 'name');
const CHANNEL_HEADERS = ['name'] as const;

/** Returns the field for a header; any header containing 'canal' is the canal (spec §5). */
export function fieldOfHeader(kind: ImportKind, header: string): ImportField | null {
  const key = headerKey(header);
  if (key === '') return null;
  const field = (kind === 'users' ? USER_HEADERS : CHANNEL_HEADERS).find((one) => SYNONYMS[one].includes(key));
  if (field !== undefined) return field;
  if (key.includes('canal')) return kind === 'users' ? 'canal' : 'name';
  return null;
}

/** Number of distinct fields of a users' sheet that these cells name. */
export const countHeaders = (cells: readonly unknown[]): number =>
  new Set(cells.flatMap((cell) => (typeof cell === 'string' ? (fieldOfHeader('users', cell) ?? []) : []))).size;
