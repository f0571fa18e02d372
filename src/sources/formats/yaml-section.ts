/** Of a file the values under these keys, or of those only these members. */
export interface YamlSections {
  readonly keys: readonly string[];
  readonly members?: readonly string[] | undefined;
}

/**
 * The text with the lines of every unwanted key emptied. Other programs' YAML may use what we refuse (merge keys, tags, an
 * older version of YAML) outside of the section that concerns us, and a catalog of servers is far larger than the few that
 * are used. A file in another style than one key per line is left as it is.
 */
export function keepYamlSections(text: string, { keys, members }: YamlSections): string {
  const lines = text.split("\n");
  const written = lines.map((line) => keyOf(line));
  const top = written.filter((found) => found?.indent === 0);
  if (top.length === 0) return text;
  if (!top.some((found) => found !== undefined && keys.includes(found.key))) return "";
  let isInSection = false;
  let isInMember = true;
  let memberIndent: number | undefined;
  return lines
    .map((line, index) => {
      const found = written[index];
      if (found?.indent === 0) {
        isInSection = keys.includes(found.key);
        isInMember = true;
        memberIndent = undefined;
      } else if (/^(?:---|\.\.\.|%)/.test(line)) {
        isInSection = false;
      } else if (isInSection && members !== undefined && found !== undefined) {
        memberIndent ??= found.indent;
        if (found.indent <= memberIndent) isInMember = members.includes(found.key);
      }
      return isInSection && isInMember ? line : "";
    })
    .join("\n");
}

// No two neighbours match the same character: a line of any length takes one pass.
const KEY = /^( *)(?:"([^"\\]*)"\s*|'([^']*)'\s*|([^\s#&*!|>'"%@`{[\]},-][^:#]*)):(?:\s|$)/;

function keyOf(line: string): { readonly indent: number; readonly key: string } | undefined {
  const [, spaces = "", double, single, plain] = KEY.exec(line) ?? [];
  const key = double ?? single ?? plain?.trimEnd();
  return key === undefined ? undefined : { indent: spaces.length, key };
}
