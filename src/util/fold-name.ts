// The one normal form in which the gateway compares names of servers and tools with patterns. A server chooses the
// names of its tools, so a name must not escape a pattern by a spelling that looks the same.

/** Combining marks that change the look of any letter. Marks that distinguish letters of one script are not among them. */
const GENERIC_MARKS = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/gu;

/** In Greek, the upper case of this mark is a letter. */
const IOTA_SUBSCRIPT = /(\p{Script=Greek}[\u0300-\u0344\u0346-\u036f]*)\u0345/gu;

/** A mark of another script after an ASCII character distinguishes nothing. */
const MARKS_OF_OTHERS = /([!-~])\p{M}+/gu;

/**
 * Characters that show nothing: control, format and other default-ignorable characters, white space, unpaired
 * surrogates, and the blank Braille pattern.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\p{White_Space}\u2800]/gu;

/**
 * The normal form of a name: Unicode NFKC with full case folding, without combining marks and without characters that
 * show nothing. Equal normal forms mean that the gateway treats the names as equal in rules, policy, scopes and views.
 */
export function foldName(name: string): string {
  if (/^[!-~]*$/.test(name)) return name.toLowerCase();
  // Case mapping can produce new marks and compatibility characters, so the first step is repeated.
  return decompose(foldCase(decompose(name))).normalize("NFC");
}

/**
 * A text without disguises of its letters: compatibility forms, combining marks and characters that show nothing are
 * replaced or removed, but case and white space are kept, so that words can be told apart.
 */
export function unmask(text: string): string {
  if (/^[ -~\s]*$/.test(text)) return text;
  return text
    .split(/\s+/u)
    .map((word) => decompose(word).normalize("NFC"))
    .join(" ");
}

/** Whether the name differs from its normal form in more than the case of its letters and spaces between words. */
export function isDisguised(name: string): boolean {
  return foldName(name) !== foldCase(name.replace(/(?<=\S) (?=\S)/gu, ""));
}

function decompose(text: string): string {
  return text
    .normalize("NFKD")
    .replace(IOTA_SUBSCRIPT, "$1ι")
    .replace(GENERIC_MARKS, "")
    .replace(INVISIBLE, "")
    .replace(MARKS_OF_OTHERS, "$1");
}

/**
 * Case folding by the mappings of JavaScript: lower, upper and lower case, so that "ẞ" and "ß" become "ss". The final
 * sigma is the one letter whose lower case depends on its position.
 */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

/** The letters of other scripts that look like Latin letters. */
const LOOKS_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;

/** Whether the name mixes Latin letters with letters of a script that has look-alikes of them, such as Cyrillic. */
export function mixesScripts(name: string): boolean {
  const folded = foldName(name);
  return /\p{Script=Latin}/u.test(folded) && LOOKS_LATIN.test(folded);
}
