/**
 * Characters that are invisible or look like an ordinary space. They could hide part of a call from the user who has to
 * confirm it.
 */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** A value as JSON with all invisible characters escaped. */
export function revealedJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, unit) => escapeUnit(character.charCodeAt(unit))).join(""),
  );
}

const PLAIN_NAME = /^[\x21-\x7e]+$/;

/** An untrusted name as one printable word, so that it cannot continue as text of the gateway. */
export function revealedName(name: string): string {
  return PLAIN_NAME.test(name) ? name : revealedJson(name).replaceAll(" ", escapeUnit(0x20));
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
