/** A vowel that is heard: the y of 'Yves', not that of 'Yann'. A mute h is not told apart from an aspirated one, nor elided. */
const HEARD_VOWEL = /^[^\p{L}\p{N}]*(?:[aeiouœæ]|y[^aeiou])/u;

/** French 'de' before a name, elided where its sound asks for it: 'de Nord', 'd’Ambulances', 'd’Équipe 2'. */
export function deBefore(name: string): string {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return HEARD_VOWEL.test(plain) ? `d’${name}` : `de ${name}`;
}
