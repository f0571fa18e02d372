/** The needed top-level keys of a file, and optionally the needed members of their values. */
export interface YamlSections {
  readonly keys: readonly string[];
  readonly members?: readonly string[] | undefined;
}

/**
 * Empties the lines of every unwanted key. Other programs' YAML may use features that the gateway's parser rejects
 * (merge keys, tags, an older YAML version) outside of the needed section, and a server catalog is far larger than the
 * few entries in use. A file that does not have one key per line is returned unchanged.
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

// Adjacent parts of the pattern match no common character, so that matching takes linear time.
const KEY = /^( *)(?:"([^"\\]*)"\s*|'([^']*)'\s*|([^\s#&*!|>'"%@`{[\]},-][^:#]*)):(?:\s|$)/;

function keyOf(line: string): { readonly indent: number; readonly key: string } | undefined {
  const [, spaces = "", double, single, plain] = KEY.exec(line) ?? [];
  const key = double ?? single ?? plain?.trimEnd();
  return key === undefined ? undefined : { indent: spaces.length, key };
}
