/**
 * How a program parses its options. `values`: only these options take the next word as their value. `flags`: all
 * options take the next word, except these.
 */
export type OptionSyntax = { readonly flags: ReadonlySet<string> } | { readonly values: ReadonlySet<string> };

export interface ReadWords {
  readonly options: readonly (readonly [name: string, value: string | undefined])[];
  /** The first word that is not an option, and everything after it. */
  readonly rest: readonly string[];
  /** The options before that word, as they were written. */
  readonly before: readonly string[];
}

/** Splits a command line at the first word that is neither an option nor the value of an option. */
export function readWords(words: readonly string[], syntax: OptionSyntax): ReadWords {
  const options: [string, string | undefined][] = [];
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? "";
    if (word === "--") return { options, rest: words.slice(at + 1), before: words.slice(0, at) };
    if (!word.startsWith("-") || word === "-") break;
    const [, name = "", value] = /^-+([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    const takesNext = value === undefined && takesValue(name, syntax) && at + 1 < words.length;
    options.push([name, takesNext ? words[at + 1] : value]);
    at += takesNext ? 2 : 1;
  }
  return { options, rest: words.slice(at), before: words.slice(0, at) };
}

function takesValue(name: string, syntax: OptionSyntax): boolean {
  return "values" in syntax ? syntax.values.has(name) : !syntax.flags.has(name) && !name.startsWith("no-");
}

export function optionValues(options: ReadWords["options"], ...names: readonly string[]): string[] {
  return options.flatMap(([name, value]) => (names.includes(name) && value !== undefined ? [value] : []));
}
