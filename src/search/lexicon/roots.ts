import { toStem } from "../stem.js";

const RUSSIAN_ENDINGS =
  "иями ями ами иях ией ого ему ому ыми ими ия ию ии ий ие ов ев ей ой ом ем ам ям ах ях ый ая ое ые ую ть а я о е ы и у ю ь й".split(
    " ",
  );
const KOREAN_ENDINGS = "에서 으로 에게 까지 부터 을 를 이 가 은 는 의 에 로 와 과 도".split(" ");

/** The common part of a word's inflections, so that each inflection finds the same line of the lexicon. */
export function toRoot(word: string): string {
  const first = word.codePointAt(0) ?? 0;
  if (first < 0x0400) return toStem(word);
  if (first <= 0x04ff) return stripEnding(word, RUSSIAN_ENDINGS, 3);
  if (first >= 0xac00 && first <= 0xd7a3) return stripEnding(word, KOREAN_ENDINGS, 2);
  return word;
}

/** Removes the first of these endings that leaves at least `minLength` characters. */
function stripEnding(word: string, endings: readonly string[], minLength: number): string {
  const ending = endings.find((end) => word.length - end.length >= minLength && word.endsWith(end));
  return ending === undefined ? word : word.slice(0, -ending.length);
}
