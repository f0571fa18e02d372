import { type CommandGroup, type CommandSpec, isGroup } from "./command.js";

const PLAIN: readonly (readonly [RegExp, string])[] = [
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*?)\.?$/,
    "'$1' is not a valid $2: use one of $3",
  ],
  [
    /^option '(.*)' argument '(.*)' is invalid\. Allowed choices are (.*?)\.?$/,
    "'$2' is not a valid value for $1: use one of $3",
  ],
  [/^option '(.*)' argument missing$/, "the option $1 needs a value"],
  [/^required option '(.*)' not specified$/, "the option $1 is required"],
];

/** Rewrites commander's error messages in plain words. */
export function plainUsage(complaint: string): string {
  for (const [pattern, words] of PLAIN) if (pattern.test(complaint)) return complaint.replace(pattern, words);
  return complaint;
}

/** Full names of all commands with this name: `anygpt mcp config validate` for `validate`. */
export function namesakes(word: string, group: CommandGroup, path: readonly string[] = [group.name]): string[] {
  return group.commands.flatMap((entry: CommandSpec | CommandGroup) => {
    const full = [...path, entry.name];
    const inner = isGroup(entry) ? namesakes(word, entry, full) : [];
    return entry.name === word ? [full.join(" "), ...inner] : inner;
  });
}
