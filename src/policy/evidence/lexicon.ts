// The words by which the gateway estimates what a tool does. `lexicon/risk/README.md` documents the files.
import { foldName } from "../../util/fold-name.js";

/** What an action does, from harmless to harmful. Actions of equal risk are in the order of their precedence. */
export const EFFECTS = [
  "read",
  "change",
  "act",
  "stop",
  "deploy",
  "send",
  "permission",
  "execute",
  "delete",
  "money",
] as const;
export type Effect = (typeof EFFECTS)[number];

const OBJECT_ACTIONS = ["money", "send", "permission", "deploy", "execute"] as const;
export type ObjectAction = (typeof OBJECT_ACTIONS)[number];

const LISTS = ["also nouns", "read nouns", "runs", "objects query", "edits", "attachments"] as const;
const PHRASES = ["alarms", "read-only phrases", "not read-only phrases"] as const;
type WordList = (typeof LISTS)[number];
type PhraseList = (typeof PHRASES)[number];

/** The lexicon as the build stores it: for each section, its words or phrases. */
export type CompiledRiskLexicon = Readonly<Record<string, readonly string[]>>;

export interface RiskLexicon {
  /** Verbs in normal form, with the action that they name. */
  readonly verbs: ReadonlyMap<string, Effect>;
  /** Chinese, Japanese and Korean verbs, which are found anywhere in a text. */
  readonly unspaced: readonly (readonly [word: string, action: Effect])[];
  readonly objects: ReadonlyMap<string, ObjectAction>;
  readonly has: (list: WordList, word: string) => boolean;
  readonly says: (list: PhraseList, text: string) => boolean;
}

export interface RiskLexiconFile {
  readonly name: string;
  readonly text: string;
}

const SECTIONS: ReadonlySet<string> = new Set([
  ...EFFECTS,
  ...OBJECT_ACTIONS.map((action) => `objects ${action}`),
  ...LISTS,
  ...PHRASES,
]);

/** Checks the files and collects the words of each section. Throws one error that names every wrong line. */
export function compileRiskLexicon(files: readonly RiskLexiconFile[]): CompiledRiskLexicon {
  const sections: Record<string, string[]> = Object.fromEntries([...SECTIONS].map((name) => [name, []]));
  const actions = new Map<string, string>();
  const problems: string[] = [];
  for (const { name, text } of files) {
    let section: string | undefined;
    for (const [index, line] of text.split("\n").entries()) {
      if (line === "" || line.startsWith("#")) continue;
      const wrong = (what: string): number => problems.push(`${name}:${index + 1}: ${what}`);
      if (line.startsWith("[")) {
        section = line.slice(1, -1);
        if (!line.endsWith("]") || !SECTIONS.has(section)) wrong(`Unknown section ${line}.`);
        continue;
      }
      const words = section === undefined ? undefined : sections[section];
      if (section === undefined || words === undefined) wrong("The line is in no section.");
      else if (isPhraseList(section)) words.push(...line.split(" | ").map((phrase) => phrase.toLowerCase()));
      else if (/^\s|\s$|\s\s|[^\S ]/u.test(line)) wrong("Separate words with one space.");
      else {
        for (const word of line.split(" ").map(foldName)) {
          const other: string | undefined = isAction(section) ? actions.get(word) : undefined;
          if (isAction(section)) actions.set(word, section);
          if (other !== undefined && other !== section) wrong(`"${word}" is also in [${other}].`);
          else if (!words.includes(word)) words.push(word);
        }
      }
    }
  }
  if (problems.length > 0) throw new Error(`The risk lexicon has errors.\n${problems.join("\n")}`);
  return sections;
}

function isAction(section: string): section is Effect {
  return EFFECTS.some((action) => action === section);
}

function isPhraseList(section: string): boolean {
  return PHRASES.some((list) => list === section);
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

export function readRiskLexicon(sections: CompiledRiskLexicon): RiskLexicon {
  const words = (section: string): readonly string[] => sections[section] ?? [];
  const all = EFFECTS.flatMap((action) => words(action).map((word) => [word, action] as const));
  const lists = new Map(LISTS.map((list) => [list, new Set(words(list))]));
  return {
    verbs: new Map(all.filter(([word]) => !UNSPACED.test(word))),
    unspaced: all.filter(([word]) => UNSPACED.test(word)),
    objects: new Map(
      OBJECT_ACTIONS.flatMap((action) => words(`objects ${action}`).map((word) => [word, action] as const)),
    ),
    has: (list, word) => lists.get(list)?.has(word) === true,
    says: (list, text) => words(list).some((phrase) => text.includes(phrase)),
  };
}
