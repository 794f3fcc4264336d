import type { PictureName } from './pictures.ts';
import { between, oneOf, type Random } from './random.ts';

/** Turns plain text into French as it is printed: with no-break spaces at signs and units, and the curved apostrophe. */
export const french = (text: string): string =>
  text
    .replaceAll(' :', '\u00a0:')
    .replaceAll('« ', '«\u00a0')
    .replaceAll(' »', '\u00a0»')
    .replace(/ ([?!;])/gu, '\u202f$1')
    .replace(/(\d) (?=(?:m|cm|km|min|h)\b)/gu, '$1\u00a0')
    .replaceAll("'", '’');

/** Words that replace `{…}` in a line. */
const PLACES = [
  ['la levée de Saint-Dyé', 'le pont de Meung', 'le déversoir de Jargeau', 'le quai de Beaugency'],
  ['le pont Jacques-Gabriel', "l'île de Blois", 'la levée de Chaumont', 'le port de Saint-Dyé'],
  ['le pont Wilson', 'la levée de Montlouis', "l'île Simon", 'le quai de Langeais'],
  ['le quai de Candes', 'la levée de Bréhémont', 'le pont de Saumur', "l'île d'Offard"],
] as const;
const BOATS = ['deux embarcations', 'une embarcation', 'trois équipages', 'un équipage et deux plongeurs'] as const;
const TRENDS = ['en hausse', 'stable', 'en légère baisse'] as const;

const LEVEL = 'Échelle {de} : {cote} m, {tendance}. Prochain relevé dans {minutes} min.';

/** Lines by channel, in the order of the channels. */
const LINES: readonly (readonly string[])[] = [
  [
    'Point de situation à {sonnée} : {nombre} missions en cours, aucune victime simulée en attente.',
    "Le scénario passe en phase {phase} : les secteurs confirment leurs effectifs, s'il vous plaît.",
    'Préfecture : la cellule de crise demande les cotes de {sonnée}. Qui les a ?',
    "Rappel : c'est un exercice. Tout message réel commence par « Hors exercice ».",
    'Relève du poste de commandement à {heure}, briefing dix minutes avant.',
    'Secteur Tours, merci de confirmer la fermeture des quais.',
    'Carte à jour : {nombre} équipes visibles, deux sans position depuis un quart d’heure.',
  ],
  [
    LEVEL,
    'Sur place, accès dégagé par la rive nord.',
    'Circulation coupée {place}, déviation posée.',
    "{nombre} riverains prévenus, deux refus d'évacuer.",
    'Besoin de {nombre} barrières {place}.',
    'Groupe électrogène en panne au gymnase : pouvez-vous envoyer le second ?',
    'Reconnaissance terminée, rien à signaler. Nous repartons.',
  ],
  [
    LEVEL,
    'Eau sur la chaussée {place}, passage encore possible.',
    'Pompe de {nombre} m³/h en place.',
    'École évacuée pour l’exercice : {nombre} élèves, tous comptés.',
    "Route fermée {place} jusqu'à nouvel ordre.",
    'Équipe relevée, retour au centre dans {minutes} min.',
  ],
  [
    LEVEL,
    'En position {place}.',
    'Quais fermés aux piétons depuis {sonnée}.',
    'Un véhicule gêne le passage : fourrière prévenue.',
    'Sacs de sable : il en reste {nombre}, il en faut le double avant {heure} !',
    'Bien reçu, nous y allons.',
  ],
  [
    LEVEL,
    'Infiltration au pied du talus {place}, photo à suivre.',
    'Le maire de la commune est au poste, il demande un point à {heure}.',
    'Tronçon contrôlé sur {nombre} m : pas de fuite visible.',
    'Nous manquons de lampes pour la nuit. Qui peut en apporter ?',
    'Accès par la rive sud impossible ; nous passons par le pont.',
  ],
  [
    'À la cale : {bateaux}, départ immédiat possible.',
    'Deux personnes simulées récupérées sur {lieu}, transfert au quai.',
    'Courant fort sous le pont, vitesse réduite pour tous.',
    'Plein fait, autonomie {nombre} min.',
    'Bois flottant en amont : restez rive gauche.',
    "Plongeur 1 à l'eau depuis {minutes} min, tout va bien.",
  ],
  [
    'Ronde faite sur {nombre} m, deux terriers à marquer.',
    LEVEL,
    'Fissure au pied {de}, jalonnée. Je repasse dans {minutes} min.',
    'La crête est praticable, le chemin bas ne l’est plus.',
    'Suintement clair, débit faible. À surveiller ou faut-il un géotechnicien ?',
    'Photos envoyées au poste de commandement.',
  ],
  [
    'Gymnase ouvert : {nombre} lits montés, soixante possibles.',
    '{nombre} repas chauds prévus pour {heure}.',
    'Onze familles enregistrées, dont trois avec animaux.',
    'Le camion de couvertures est parti, arrivée dans {minutes} min.',
    'Qui a les clés de la salle des fêtes ?',
    "Eau potable : {nombre} packs en réserve, c'est suffisant.",
  ],
];

/** Lines that go with a picture. */
const CAPTIONS: Record<PictureName, readonly string[]> = {
  gauge: ["L'échelle à {sonnée}.", 'Relevé de {sonnée} : {cote} m.'],
  levee: ['La levée, vue de la crête.', 'Pied du talus {place}.'],
  night: ['Le quai à la tombée du jour.', 'Dernière ronde, tout est calme.'],
  chart: ["La courbe depuis ce matin : qu'en pensez-vous ?", 'Prévision reçue de la cellule hydrologie.'],
};

/** Something to write in a channel. */
export const lineFor = (channel: number, at: Date, random: Random): string =>
  filled(oneOf(random, LINES[channel] ?? []), channel, at, random);

export const captionFor = (picture: PictureName, channel: number, at: Date, random: Random): string =>
  filled(oneOf(random, CAPTIONS[picture]), channel, at, random);

function filled(line: string, channel: number, at: Date, random: Random): string {
  const here = PLACES[(channel + 3) % PLACES.length] ?? PLACES[0];
  const spot = oneOf(random, here);
  const words: Record<string, string> = {
    lieu: spot,
    place: `vers ${spot}`,
    de: contracted(spot),
    bateaux: oneOf(random, BOATS),
    tendance: oneOf(random, TRENDS),
    cote: between(random, 2.1, 4.9).toFixed(2).replace('.', ','),
    minutes: String(5 * Math.ceil(between(random, 1, 9))),
    nombre: String(Math.round(between(random, 12, 58))),
    phase: String(Math.ceil(between(random, 1, 4))),
    // The hour that has come, and the next one.
    sonnée: `${at.getHours()} h`,
    heure: `${(at.getHours() + 1) % 24} h`,
  };
  return french(line.replace(/\{(\p{L}+)\}/gu, (_all, name: string) => words[name] ?? ''));
}

/** `de` before the name of a place with its article. */
const contracted = (place: string): string => `de ${place}`.replace(/^de le /u, 'du ').replace(/^de les /u, 'des ');
