import type { Course, CourseName } from './routes.ts';
import { french } from './words.ts';

/** A civil-protection exercise, wholly invented: the Loire rises, and the departments along it work together. */
export interface DemoChannel {
  name: string;
  /** The course on which the channel's people are. */
  course: CourseName;
}

export const CHANNELS: readonly DemoChannel[] = [
  { name: 'Poste de commandement', course: 'tours' },
  { name: 'Secteur Orléans', course: 'orleans' },
  { name: 'Secteur Blois', course: 'blois' },
  { name: 'Secteur Tours', course: 'tours' },
  { name: 'Secteur Saumur', course: 'saumur' },
  { name: 'Secours nautique', course: 'amboise' },
  { name: 'Surveillance des levées', course: 'amboise' },
  { name: 'Hébergement et logistique', course: 'blois' },
];

/** Channels in which people talk: as many voices as a small machine carries beside its browser. */
export const VOICED_CHANNELS = [0, 5] as const;
/** People in each of these channels at a time. */
export const VOICES_PER_CHANNEL = 3;

export interface DemoPerson {
  firstName: string;
  lastName: string;
  pseudo: string;
  login: string;
  phoneNumber: string;
  mapRight: boolean;
  /** Indexes of CHANNELS; the first is their main one. */
  channels: readonly number[];
  course: Course;
}

/** `first name, last name, call sign, channels`. The call signs are those of the channel's vehicles. */
const ROSTER = `
Camille,Aubert,PC 1,0 1 2 3 4
Nadia,Benali,PC 2,0 7
Yann,Le Goff,PC 3,0 5 6
Émilie,Rousseau,Officier renseignement,0 6
Thomas,Girard,Officier moyens,0 7
Hélène,Marchand,Préfecture,0 1 2 3 4
Lucas,Perrin,Orléans 1,1 0
Chloé,Fontaine,Orléans 2,1
Mehdi,Haddad,Orléans 3,1 6
Anaïs,Lambert,,1 7
Julien,Carpentier,,1
Sophie,Delmas,,1 5
Nicolas,Bourgeois,Blois 1,2 0
Inès,Moulin,Blois 2,2
Antoine,Lefèvre,Blois 3,2 6
Manon,Chevalier,,2 7
Karim,Saïdi,,2
Pauline,Besson,,2 5
Mathieu,Renard,Tours 1,3 0
Clara,Noël,Tours 2,3
Baptiste,Hervé,Tours 3,3 6
Aïcha,Diallo,,3 7
Romain,Vidal,,3
Juliette,Garnier,,3 5
Olivier,Maréchal,Saumur 1,4 0
Léa,Poirier,Saumur 2,4
Hugo,Tessier,Saumur 3,4 6
Margaux,Leroy,,4 7
Sébastien,Colin,,4
Zoé,Guérin,,4 5
Gaël,Kervella,Nautique 1,5 0
Marion,Picard,Nautique 2,5
Damien,Roche,Nautique 3,5
Élodie,Faure,Plongeur 1,5
Vincent,Masson,Levée 1,6 0
Claire,Dumont,Levée 2,6
Xavier,Brunet,Levée 3,6
Françoise,Leclerc,Accueil 1,7 0
Malik,Touré,Accueil 2,7
Agnès,Blanchard,Intendance,7
`;

/** Cars, boats on the river, and people on foot on a levee: metres a second. */
const SPEEDS = [14, 0, 11, 0, 17] as const;
const BOAT = 5;
const ON_FOOT = 1.4;
const NAUTICAL = 5;
const LEVEES = 6;
/** Distances at which they begin, metres: between people of one channel, and between channels on the same course. */
const APART = 1_100;
const CHANNELS_APART = 370;
/** The number of people of one channel, who follow each other in the roster. */
const OF_A_CHANNEL = 6;

const loginOf = (firstName: string, lastName: string): string =>
  `${firstName}.${lastName}@example.org`
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z.@]/gu, '');

/** The forty members, in an order that stays. */
export const PEOPLE: readonly DemoPerson[] = ROSTER.trim()
  .split('\n')
  .map((line, index) => {
    const [firstName = '', lastName = '', pseudo = '', places = ''] = line.split(',');
    const channels = places.split(' ').map(Number);
    const [first = 0] = channels;
    return {
      firstName,
      lastName,
      pseudo: french(pseudo),
      login: loginOf(firstName, lastName),
      // Numbers that the regulator keeps for fiction: 06 39 98 00 00 to 06 39 98 99 99.
      phoneNumber: `06 39 98 00 ${String(index + 10)}`,
      mapRight: pseudo !== '',
      channels,
      course: {
        name: CHANNELS[first]?.course ?? 'tours',
        begin: (index % OF_A_CHANNEL) * APART + first * CHANNELS_APART,
        speed: first === NAUTICAL ? BOAT : first === LEVEES ? ON_FOOT : (SPEEDS[index % SPEEDS.length] ?? 0),
      },
    };
  });

/** The account of the visitor: an administrator, and a member of all channels. */
export const ADMINISTRATOR = {
  firstName: 'Florence',
  lastName: 'Mercier',
  pseudo: '',
  login: loginOf('Florence', 'Mercier'),
  phoneNumber: '06 39 98 00 01',
} as const;

/** Indexes of PEOPLE. */
export const membersOf = (channel: number): number[] =>
  PEOPLE.flatMap(({ channels }, index) => (channels.includes(channel) ? [index] : []));
