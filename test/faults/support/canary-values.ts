import { createRandom, type Random } from "./random.js";

/** Where each value is put; the name says how. */
export const CANARY_NAMES = [
  "CANARY_ENV_TOKEN",
  "CANARY_ENV_ODD",
  "CANARY_ENV_JWT",
  "CANARY_ENV_PEM",
  "CANARY_ENV_JSON",
  "CANARY_DOTENV_TOKEN",
  "CANARY_DOTENV_ODD",
  "CANARY_DOTENV_SHORT",
  "CANARY_LOCAL_TOKEN",
  "CANARY_HOME_TOKEN",
  "CANARY_HEADER_BEARER",
  "CANARY_HEADER_KEY",
  "CANARY_HEADER_ODD",
  "CANARY_QUERY",
  "CANARY_PASSWORD",
  "CANARY_DATABASE",
  "WRITTEN_ENV_TOKEN",
  "WRITTEN_ENV_PLAIN",
  "WRITTEN_HEADER_BEARER",
  "WRITTEN_HEADER_KEY",
  "WRITTEN_QUERY",
  "WRITTEN_PASSWORD",
  "UNUSED_ENV",
  "UNUSED_DOTENV",
  "OTHER_PROGRAM",
] as const;

export type CanaryName = (typeof CANARY_NAMES)[number];
export type Canaries = Readonly<Record<CanaryName, string>>;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ODD = "/+=&?#%!'()*~ \"\\@:;,<>|^`{}é§";
/** Values that need no escaping in single quotes in an .env file. */
const ODD_IN_FILES = "/+=&?%!()*~ @:;,<>|^{}é§";

/** Twenty-five new values in the shapes of secrets. */
export function createCanaries(seed: number): Canaries {
  const random = createRandom(seed);
  const entries = CANARY_NAMES.map((name) => [name, valueFor(name, random)] as const);
  return Object.fromEntries(entries) as unknown as Canaries;
}

function valueFor(name: CanaryName, random: Random): string {
  const word = (length: number): string => Array.from({ length }, () => random.pick(LETTERS.split(""))).join("");
  if (name.endsWith("_ODD")) {
    const marks = name.includes("DOTENV") ? ODD_IN_FILES : ODD;
    return Array.from({ length: 6 }, () => `${word(5)}${random.pick(marks.split(""))}`).join("") + word(4);
  }
  if (name.endsWith("_JWT")) return `eyJ${word(17)}.${word(40)}.${word(43)}`;
  if (name.endsWith("_PEM")) return [word(64), word(64), word(40)].join("\n");
  if (name.endsWith("_SHORT")) return word(14);
  return `${random.pick(["sk-", "ghp_", "xoxb-", ""])}${word(random.between(24, 48))}`;
}
