/** The words of the page that prepares for a browser's warning. */
export interface WarningWords {
  language: 'fr' | 'en' | 'de';
  title: string;
  why: string;
  how: string;
  /** The choice to make in each browser, as HTML. */
  steps: string[];
  go: string;
  check: string;
}

const FRENCH: WarningWords = {
  language: 'fr',
  title: 'Votre navigateur va vous avertir',
  why: 'Le micro ne fonctionne que sur une page chiffrée. Ce serveur Pressel a créé lui-même le certificat qu’il faut pour cela. Comme personne d’autre ne s’en porte garant, votre navigateur affiche un avertissement à la première visite. La liaison est chiffrée quand même.',
  how: 'Si vous connaissez ce serveur, passez outre cet avertissement\u00a0:',
  steps: [
    '<b>Chrome, Edge</b>\u00a0: «\u202fParamètres avancés\u202f» ou «\u202fAvancé\u202f», puis «\u202fContinuer vers …\u202f»',
    '<b>Firefox</b>\u00a0: «\u202fAvancé…\u202f», puis «\u202fAccepter le risque et poursuivre\u202f»',
    '<b>Safari</b>\u00a0: «\u202fAfficher les détails\u202f», puis «\u202fvisiter ce site web\u202f»',
  ],
  go: 'Continuer vers Pressel',
  check:
    'Pour en être sûr, comparez l’empreinte SHA-256 du certificat que montre votre navigateur avec celle que le serveur a affichée à son démarrage.',
};

const ENGLISH: WarningWords = {
  language: 'en',
  title: 'Your browser is going to warn you',
  why: 'A microphone works only on an encrypted page. This Pressel server made the certificate for that itself. Because nobody else vouches for it, your browser shows a warning on the first visit. The connection is encrypted all the same.',
  how: 'If you know this server, go past the warning:',
  steps: [
    '<b>Chrome, Edge</b>: “Advanced”, then “Proceed to …” or “Continue to …”',
    '<b>Firefox</b>: “Advanced…”, then “Accept the Risk and Continue”',
    '<b>Safari</b>: “Show Details”, then “visit this website”',
  ],
  go: 'Continue to Pressel',
  check:
    'To be certain, compare the SHA-256 fingerprint of the certificate in your browser with the one that the server printed when it started.',
};

const GERMAN: WarningWords = {
  language: 'de',
  title: 'Ihr Browser wird Sie warnen',
  why: 'Ein Mikrofon funktioniert nur auf einer verschlüsselten Seite. Das Zertifikat dafür hat dieser Pressel-Server selbst erstellt. Weil niemand sonst dafür bürgt, zeigt Ihr Browser beim ersten Besuch eine Warnung. Die Verbindung ist trotzdem verschlüsselt.',
  how: 'Wenn Sie diesen Server kennen, übergehen Sie die Warnung:',
  steps: [
    '<b>Chrome, Edge</b>: „Erweitert“, dann „Weiter zu …“',
    '<b>Firefox</b>: „Erweitert …“, dann „Risiko akzeptieren und fortfahren“',
    '<b>Safari</b>: „Details einblenden“, dann „diese Website öffnen“',
  ],
  go: 'Weiter zu Pressel',
  check:
    'Um sicherzugehen, vergleichen Sie den SHA-256-Fingerabdruck des Zertifikats in Ihrem Browser mit dem, den der Server bei seinem Start ausgegeben hat.',
};

/**
 * The words in the first known language that the browser asks for, else in French. Unlike in the app, nobody can choose a
 * language here.
 */
export function warningWordsFor(accepted: string | undefined): WarningWords {
  const wanted = (accepted ?? '').split(',').map((entry) => entry.trim().slice(0, 2).toLowerCase());
  const known = [FRENCH, ENGLISH, GERMAN];
  const found = wanted.map((one) => known.find(({ language }) => language === one));
  return found.find((words) => words !== undefined) ?? FRENCH;
}
