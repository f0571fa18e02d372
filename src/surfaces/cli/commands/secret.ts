import { environmentFor } from "../../../gateway/find-configuration.js";
import { DiscoveryError } from "../../../errors.js";
import { createSecretReader } from "../../../secrets/create-secret-reader.js";
import { type Keychain, openKeychain } from "../../../secrets/keychain.js";
import { askHidden, isAttended, isConfirmed } from "../../../terminal/questions.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { bold, GOOD, line } from "../../../terminal/lines.js";
import { engineOptions } from "../trust-files.js";

export const setSecret: Handler = async (input, context) => {
  const name = input.argument("name");
  const keychain = keychainOf(context);
  const value = isAttended(context)
    ? await askHidden(`Secret for ${name} (the input is not shown):`, context)
    : (await textOf(context.io.stdin)).replace(/\r?\n$/, "");
  await context.wait(keychain.write(name, value), () => "Writing to the keychain…");
  if (context.isJson) context.json({ name, reference: `\${keychain:${name}}` });
  else
    context.show([line(0, GOOD, " ", bold(name), ` is stored. Use it as \${keychain:${name}} in your configuration.`)]);
  return 0;
};

export const removeSecret: Handler = async (input, context) => {
  const name = input.argument("name");
  if (!input.flag("yes")) {
    const isAgreed = isAttended(context) && (await isConfirmed(`Remove ${name} from the keychain?`, context));
    if (!isAgreed) {
      throw new DiscoveryError("CANCELLED", "Nothing was removed.", {
        hint: "Add --yes to remove it without a question.",
      });
    }
  }
  await keychainOf(context).remove(name);
  context.reply({ name, removed: true }, () => [line(0, GOOD, " ", bold(name), " was removed from the keychain.")]);
  return 0;
};

export const checkSecret: Handler = async (input, context) => {
  const reference = input.argument("reference").replace(/^\$\{([^]*)\}$/, "$1");
  if (!/^(?:keychain:|op:\/\/|vault:|command:)/.test(reference)) {
    throw new DiscoveryError("INVALID_REQUEST", `"${reference}" is not a reference to a secret.`, {
      hint: "Write keychain:NAME, op://VAULT/ITEM/FIELD, vault:PATH#FIELD or command:PROGRAM ARGUMENT ….",
    });
  }
  const { env, home, elapsed } = environmentFor(engineOptions(context));
  const reader = createSecretReader({ env, cwd: home, platform: process.platform, elapsed });
  const value = await context.wait(reader.read(reference), () => `Reading ${reference}…`);
  const characters = value.length;
  context.reply({ reference: `\${${reference}}`, readable: true, characters }, () => [
    line(0, GOOD, " ", bold(`\${${reference}}`), ` can be read (${characters} characters).`),
  ]);
  return 0;
};

function keychainOf(context: Context): Keychain {
  const { env, home } = environmentFor(engineOptions(context));
  return openKeychain({ env, cwd: home, platform: process.platform });
}

async function textOf(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks).toString("utf8");
}
