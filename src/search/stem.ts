import { stemmer } from "stemmer";

/**
 * Words that are not stemmed, because the stemmer would confuse them with others: `news` with `new`, `customer` with
 * `custom`, `adding` with `ad`.
 */
const UNSTEMMED = new Set(
  `accessibility accounting active activity added adding additional animal anime applicant application apy
  assignment ats authority authorization authorize authorized availability balancer beauty billing booking
  boxing bus busy calle capitalize carte charging cms combination commande community computer contentful
  continuous conversation conversion customer cycling dating dependency determinant different differently
  directions documentation ecs ens equipe evenement executive expense experience extension filing fitness gas
  general generally generic guid holdings ide identifier importance important indicator informe initial
  initially integral listing locale localization manager marketing meaning mindfulness minimize nas news nps
  objective opening organism organization pais parking paste performance personal personality physics population
  positive powerful presentation probably production productivity properties publication rating requirements
  responsible responsive sales savings securities setting settings shares shipping solde specification starring
  suche termin terminal times tos training universal universe ups utilization`.split(/\s+/u),
);

/** Returns the stem of a word: the common part of its inflections. */
export function toStem(word: string): string {
  if (word.length < 3) return word;
  if (UNSTEMMED.has(word)) return word;
  const singular = toSingular(word);
  return UNSTEMMED.has(singular) ? singular : stemmer(word);
}

function toSingular(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") ? word.slice(0, -1) : word;
}
