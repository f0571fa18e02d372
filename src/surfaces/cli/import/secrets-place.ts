// Asks where an import stores secrets that it finds in plain text.
import { availablePlaces } from "../../../operations/import/secrets-places.js";
import type { PlannedSecret, SecretsPlace } from "../../../operations/import/plan.js";
import type { Keychain } from "../../../secrets/keychain.js";
import { askLine } from "../../../terminal/questions.js";
import type { Context } from "../context.js";
import { BLANK, bold, count, line } from "../../../terminal/lines.js";

const MEANINGS: Readonly<Record<SecretsPlace, string>> = {
  keychain: "store them in the system keychain; the configuration refers to them as ${keychain:NAME}",
  env: "move them into ~/.ai/.env, which only you can read",
  keep: "copy them into the configuration in plain text",
};

/** Enter selects the first option. If the input ends without an answer, the plan stays unchanged and nothing is written. */
export async function askSecretsPlace(
  secrets: readonly PlannedSecret[],
  keychain: () => Keychain,
  context: Context,
): Promise<SecretsPlace> {
  const offered = await context.wait(availablePlaces(keychain), () => "Checking the keychain…");
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
