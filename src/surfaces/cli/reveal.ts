/** What nobody sees, or takes for an ordinary space: it would hide a difference from who has to agree to a call. */
const UNSEEN = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** A value as JSON on one or many lines, in which everything that is there can be seen. */
export function revealedJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, unit) => escapeUnit(character.charCodeAt(unit))).join(""),
  );
}

const PLAIN_NAME = /^[\x21-\x7e]+$/;

/** A name of somebody else as one word, whatever is in it: it cannot go on as a line of ours. */
export function revealedName(name: string): string {
  return PLAIN_NAME.test(name) ? name : revealedJson(name).replaceAll(" ", escapeUnit(0x20));
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
