// Decides where an import stores secrets that it finds in plain text: by the option `--secrets`, or by asking the user.
import { DiscoveryError } from "../../../errors.js";
import type { PlannedSecret, SecretsPlace } from "../../../operations/import/plan.js";
import type { Keychain } from "../../../secrets/keychain.js";
import { askLine } from "../../../terminal/questions.js";
import type { Input } from "../command.js";
import type { Context } from "../context.js";
import { BLANK, bold, count, line } from "../../../terminal/lines.js";

const PLACES: readonly SecretsPlace[] = ["keychain", "env", "keep"];

const MEANINGS: Readonly<Record<SecretsPlace, string>> = {
  keychain: "store them in the system keychain; the configuration refers to them as ${keychain:NAME}",
  env: "move them into ~/.ai/.env, which only you can read",
  keep: "copy them into the configuration in plain text",
};

export function secretsOption(input: Input): SecretsPlace | undefined {
  const given = input.text("secrets");
  if (given === undefined) return undefined;
  const known = PLACES.find((place) => place === given);
  if (known !== undefined) return known;
  throw new DiscoveryError("INVALID_REQUEST", `"${given}" is not a valid value for --secrets.`, {
    hint: "Use `keychain`, `env` (moves them into ~/.ai/.env) or `keep` (copies them in plain text).",
  });
}

/** Enter selects the first option. If the input ends without an answer, the plan stays unchanged and nothing is written. */
export async function askSecretsPlace(
  secrets: readonly PlannedSecret[],
  keychain: () => Keychain,
  context: Context,
): Promise<SecretsPlace> {
  const isThere = await context.wait(isAvailable(keychain), () => "Checking the keychain…");
  const offered = isThere ? PLACES : PLACES.filter((place) => place !== "keychain");
  const names = [...new Set(secrets.map(({ server, where }) => `${server} ${where}`))];
  context.note([
    BLANK,
    line(0, bold(`${count(names.length, "secret")} in plain text`), ":"),
    ...names.map((name) => line(2, name)),
    "Where should they be stored?",
    ...offered.map((place) => line(2, bold(place), `: ${MEANINGS[place]}`)),
  ]);
  const question = `${offered.join(", ")}? [${offered[0]}]`;
  for (;;) {
    const answer = (await askLine(question, context))?.trim().toLowerCase();
    if (answer === undefined) return "keep";
    const chosen = answer === "" ? offered[0] : offered.find((place) => place === answer);
    if (chosen !== undefined) return chosen;
  }
}

/** There is no supported keychain on Windows. */
async function isAvailable(keychain: () => Keychain): Promise<boolean> {
  try {
    return await keychain().isAvailable();
  } catch (error) {
    if (error instanceof DiscoveryError) return false;
    throw error;
  }
}
