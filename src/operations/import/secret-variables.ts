import { join } from "node:path";
import { parseDotenv } from "../../util/dotenv.js";
import { readRegularFile } from "../../util/regular-file.js";
import type { Variables } from "../../config/variables.js";
import { DiscoveryError } from "../../errors.js";
import type { ServerCandidate } from "../../sources/candidate.js";
import { addVariables } from "../../sources/rewrite/dotenv-text.js";
import { hasCode } from "../files/has-code.js";
import { nameSecrets } from "./name-secrets.js";

/** Servers whose secrets were replaced by variables. */
export interface MovedSecrets {
  readonly servers: readonly ServerCandidate[];
  /** The variable file that every gateway of this user reads. */
  readonly file: string;
  readonly before: Uint8Array | undefined;
  readonly after: Uint8Array;
  /** The names of the variables to add to the file. */
  readonly names: readonly string[];
}

/** Replaces each secret with a variable, and adds the variable to `~/.ai/.env`. */
export async function moveSecrets(
  servers: readonly ServerCandidate[],
  variables: Variables,
  home: string,
): Promise<MovedSecrets> {
  const file = join(home, ".ai", ".env");
  const before = await readRegularFile(file).catch((error: unknown) => {
    if (hasCode(error, "ENOENT")) return undefined;
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} could not be read.`, {
      hint: { action: "edit-file", path: file, change: "permissions" },
    });
  });
  const text = before?.toString("utf8") ?? "";
  const present = parseDotenv(text).values;
  const { servers: moved, added } = await nameSecrets(servers, {
    valueOf: async (name) => present.get(name) ?? valueOf(name, variables),
    holds: async (name, value) => present.get(name) === value,
    canStore: () => true,
    referenceTo: (name) => `\${${name}}`,
  });
  const after = addVariables(text, added);
  assertReadable(after, present, added);
  return { servers: moved, file, before, after: Buffer.from(after), names: [...added.keys()] };
}

function valueOf(name: string, variables: Variables): string | undefined {
  return variables.originOf(name).kind === "process" || variables.originOf(name).kind === "file"
    ? variables.resolve(`\${${name}}`)
    : undefined;
}

/** Throws if the new file does not parse to the old variables plus the added ones. */
function assertReadable(text: string, present: ReadonlyMap<string, string>, added: ReadonlyMap<string, string>): void {
  const { values } = parseDotenv(text);
  const isComplete = [...present, ...added].every(([name, value]) => values.get(name) === value);
  if (isComplete) return;
  throw new DiscoveryError(
    "CONFIGURATION_ERROR",
    "Variables cannot be added to ~/.ai/.env, because its syntax is invalid.",
    {
      hint: "Close all quotes in the file, or run the command without --secrets.",
    },
  );
}
