import { toDiscoveryError } from "../../../errors.js";
import { readFileOrInput } from "../../../operations/arguments/read-arguments.js";
import { listKeyPages, readableKeyId, toKeyPage } from "../../../operations/toolfiles/key-page.js";
import {
  createSigningKey,
  findSigningKey,
  openSigningKeys,
  readOfferedKey,
  type SigningKeys,
} from "../../../operations/toolfiles/keys.js";
import { exportSigningKey, signedFiles } from "../../../operations/toolfiles/use-key.js";
import { noteAction } from "../../../operations/toolfiles/open-tool-files.js";
import { BAD, blocks, bold, GOOD, line, verbatim } from "../../../terminal/lines.js";
import type { KnownKey } from "../../../toolfiles/keys/known-key.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { useEngine } from "../session.js";
import { hasConsent } from "../toolfiles/consent.js";
import { createdLines, keyLines, offeredLines, revocationLines } from "../toolfiles/key-lines.js";
import { engineOptions } from "../trust-files.js";

export const initKey: Handler = async (input, context) => {
  const signing = openSigningKeys(engineOptions(context));
  const request = { name: input.text("name"), isRotation: input.flag("rotate"), overlap: input.text("overlap") };
  const { key, replaced } = await createSigningKey(request, signing);
  const publicLine = await signing.keys.exportLine(key.keyId);
  const now = signing.now();
  const moment = { now, active: key.keyId };
  const before = replaced === undefined ? {} : { replaced: toKeyPage(replaced, moment) };
  context.reply({ key: toKeyPage(key, moment), ...before }, () => createdLines({ key, publicLine, replaced, now }));
};

const NO_KEY = [
  "There is no key yet.",
  line(2, "`anygpt mcp keys init` creates your own key; `anygpt mcp keys trust` trusts the key of another user."),
];

export const listSigningKeys: Handler = async (_input, context) => {
  const signing = openSigningKeys(engineOptions(context));
  const { keys, problems } = await listKeyPages(signing);
  context.reply({ keys, problems }, () => {
    if (keys.length === 0 && problems.length === 0) return NO_KEY;
    const broken = problems.map(({ file, reason }) => [line(0, BAD, ` ${file} is not used: ${reason}.`)]);
    return blocks([...keys.map((page) => keyLines(page, signing.now())), ...broken]);
  });
};

/** Prints only the public key, on one line, so that the output can be redirected to a file. */
export const exportKey: Handler = async (input, context) => {
  const { keyId, publicLine } = await exportSigningKey(input.argument("key"), openSigningKeys(engineOptions(context)));
  context.reply({ key_id: keyId, public_key: publicLine }, () => [verbatim(0, publicLine)]);
};

const KEY_HINT =
  "Pass the line that `anygpt mcp keys export` prints, in quotes, or a file that contains it, or - for standard input.";

export const trustKey: Handler = async (input, context) => {
  const signing = openSigningKeys(engineOptions(context));
  const given = input.argument("key");
  const isLine = given.startsWith("anygpt-ed25519 ");
  const origin = isLine ? "This" : given === "-" ? "Standard input" : given;
  const text = isLine ? given : await readFileOrInput(given, KEY_HINT, context.io);
  const offered = await readOfferedKey(text, origin, signing);
  const { known, isTrusted, isRevoked, keyId } = offered;
  if (known !== undefined && isTrusted) return await showTrusted(known, "is already trusted", signing, context);
  const consent = {
    lines: offeredLines(offered),
    question: "Trust all tool files that are signed with this key?",
    isGiven: input.flag("yes"),
    hasUsedInput: given === "-",
    hint: "Run this in a terminal; or compare the fingerprint with the key's owner, then add --yes.",
  };
  // A revoked key cannot be trusted again: do not ask, because `keys.trust` below throws.
  if (!isRevoked && !(await hasConsent(consent, context))) return 1;
  if (!isRevoked) await record("trust_key", keyId, context);
  return await showTrusted(await signing.keys.trust(offered.line), "is now trusted", signing, context);
};

async function showTrusted(key: KnownKey, what: string, { keys, now }: SigningKeys, context: Context): Promise<void> {
  const active = await keys.active();
  context.reply({ key: toKeyPage(key, { now: now(), active: active?.keyId }) }, () => [
    line(0, GOOD, " ", bold(key.name), ` ${what}.`),
    line(2, `Fingerprint: ${readableKeyId(key.keyId)}`),
  ]);
}

export const revokeKey: Handler = async (input, context) => {
  const signing = openSigningKeys(engineOptions(context));
  const keyId = input.argument("key");
  const known = await findSigningKey(keyId, signing);
  const isRevoked = known.revokedAt !== undefined;
  // The number of files is unknown if the configuration is invalid.
  const countFiles = (): Promise<number | undefined> =>
    useEngine(context, (engine) => signedFiles(keyId, engine)).catch(() => undefined);
  const consent = {
    lines: revocationLines(known, isRevoked ? undefined : await countFiles()),
    question: "Revoke this key?",
    isGiven: input.flag("yes") || isRevoked,
    hint: "Run this in a terminal, or add --yes.",
  };
  if (!(await hasConsent(consent, context))) return 1;
  if (!isRevoked) {
    // The key is revoked even if the audit log cannot be written.
    await record("revoke_key", keyId, context).catch((error: unknown) =>
      context.warn(`The revocation could not be written to the audit log: ${toDiscoveryError(error).message}`),
    );
  }
  const revoked = await signing.keys.revoke(keyId);
  const active = await signing.keys.active();
  context.reply({ key: toKeyPage(revoked, { now: signing.now(), active: active?.keyId }) }, () => [
    line(0, GOOD, " ", bold(revoked.name), isRevoked ? " was already revoked." : " is revoked. This is permanent."),
    ...(active === undefined && known.isOwn ? [line(2, "Create a new key with `anygpt mcp keys init`.")] : []),
  ]);
  return 0;
};

/** Records a change of keys in the audit log. Called before the change takes effect. */
async function record(action: string, subject: string, context: Context): Promise<void> {
  await useEngine(context, async (engine) => await noteAction(await engine.stages(), action, subject));
}
