/** Lower-case words. Splits snake, kebab and camel case; does no stemming and keeps stop words. */
export function splitWords(text: string): string[] {
  return (
    text
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
