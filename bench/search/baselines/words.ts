/** Lower-case words; snake, kebab and camel case are taken apart. Every word stays as it is written, common ones too. */
export function splitWords(text: string): string[] {
  return (
    text
      .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
