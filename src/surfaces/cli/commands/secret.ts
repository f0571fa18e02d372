import { text as readText } from "node:stream/consumers";
import { DiscoveryError } from "../../../errors.js";
import { openSystemKeychain, readSecret, toSecretReference } from "../../../operations/secrets.js";
import { bold, GOOD, line } from "../../../terminal/lines.js";
import { askHidden, isAttended, isConfirmed } from "../../../terminal/questions.js";
import type { Handler } from "../command.js";
import { engineOptions } from "../trust-files.js";

export const setSecret: Handler = async (input, context) => {
  const name = input.argument("name");
  const keychain = openSystemKeychain(engineOptions(context));
  const value = isAttended(context)
    ? await askHidden(`Secret for ${name} (the input is not shown):`, context)
    : (await readText(context.io.stdin)).replace(/\r?\n$/, "");
  await context.wait(keychain.write(name, value), () => "Writing to the keychain…");
  const reference = `\${keychain:${name}}`;
  context.reply({ name, reference }, () => [
    line(0, GOOD, " ", bold(name), ` is stored. Use it as ${reference} in your configuration.`),
  ]);
};

export const removeSecret: Handler = async (input, context) => {
  const name = input.argument("name");
  const question = `Remove ${name} from the keychain?`;
  if (!input.flag("yes") && !(isAttended(context) && (await isConfirmed(question, context)))) {
    throw new DiscoveryError("CANCELLED", "Nothing was removed.", {
      hint: "Add --yes to remove it without a question.",
    });
  }
  await openSystemKeychain(engineOptions(context)).remove(name);
  context.reply({ name, removed: true }, () => [line(0, GOOD, " ", bold(name), " was removed from the keychain.")]);
};

export const checkSecret: Handler = async (input, context) => {
  const reference = toSecretReference(input.argument("reference"));
  const work = readSecret(reference, engineOptions(context));
  const { length } = await context.wait(work, () => `Reading ${reference}…`);
  context.reply({ reference: `\${${reference}}`, readable: true, characters: length }, () => [
    line(0, GOOD, " ", bold(`\${${reference}}`), ` can be read (${length} characters).`),
  ]);
};
