import { resolve } from "node:path";
import { DiscoveryError, toDiscoveryError } from "../../../errors.js";
import {
  createSigningKey,
  findSigningKey,
  openSigningKeys,
  readOfferedKey,
  type SigningKeys,
} from "../../../operations/toolfiles/keys.js";
import { readableKeyId, toKeyPage } from "../../../operations/toolfiles/key-page.js";
import { noteAction } from "../../../operations/toolfiles/open-tool-files.js";
import type { KnownKey } from "../../../toolfiles/keys/known-key.js";
import { readTextFile } from "../../../util/document/text.js";
import { readStandardInput } from "../../../operations/arguments/read-arguments.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { BAD, blocks, bold, GOOD, line, verbatim } from "../../../terminal/lines.js";
import { useEngine } from "../session.js";
import { hasConsent } from "../toolfiles/consent.js";
import { createdLines, keyLines, offeredLines, revocationLines } from "../toolfiles/key-lines.js";
import { engineOptions } from "../trust-files.js";

export const initKey: Handler = async (input, context) => {
  const signing = openSigningKeys(engineOptions(context));
  const { keys, now } = signing;
  const request = { name: input.text("name"), isRotation: input.flag("rotate"), overlap: input.text("overlap") };
  const { key, replaced } = await createSigningKey(request, signing);
  if (context.isJson) {
    const moment = { now: now(), active: key.keyId };
    context.json({
      key: toKeyPage(key, moment),
      ...(replaced === undefined ? {} : { replaced: toKeyPage(replaced, moment) }),
    });
  } else context.show(createdLines({ key, publicLine: await keys.exportLine(key.keyId), replaced, now: now() }));
  return 0;
};

export const listSigningKeys: Handler = async (_input, context) => {
  const { keys, now } = openSigningKeys(engineOptions(context));
  const [known, active] = [await keys.list(), await keys.active()];
  const pages = known.keys.map((key) => toKeyPage(key, { now: now(), active: active?.keyId }));
  const problems = known.problems.map(({ file, keyId, reason }) => ({
    file,
    ...(keyId === undefined ? {} : { key_id: keyId }),
    reason,
  }));
  if (context.isJson) context.json({ keys: pages, problems });
  else if (pages.length === 0 && problems.length === 0) {
    context.show([
      line(0, "There is no key yet."),
      line(2, "`anygpt mcp keys init` creates your own key; `anygpt mcp keys trust` trusts the key of another user."),
    ]);
  } else {
    const broken = problems.map(({ file, reason }) => [line(0, BAD, ` ${file} is not used: ${reason}.`)]);
    context.show(blocks([...pages.map((page) => keyLines(page, now())), ...broken]));
  }
  return 0;
};

/** Prints only the public line, so that it can be redirected to a file. */
export const exportKey: Handler = async (input, context) => {
  const { keys } = openSigningKeys(engineOptions(context));
  const keyId = input.argument("key") || (await keys.active())?.keyId;
  if (keyId === undefined) {
    throw new DiscoveryError("INVALID_REQUEST", "You have no key yet.", {
      hint: "Create one with `anygpt mcp keys init`.",
    });
  }
  const publicLine = await keys.exportLine(keyId);
  context.reply({ key_id: keyId, public_key: publicLine }, () => [verbatim(0, publicLine)]);
  return 0;
};

export const trustKey: Handler = async (input, context) => {
  const signing = openSigningKeys(engineOptions(context));
  const given = input.argument("key");
  const origin = isKeyLine(given) ? "This" : given === "-" ? "Standard input" : given;
  const offered = await readOfferedKey(await readKeyText(given, context), origin, signing);
  const { known, isTrusted, isRevoked, keyId } = offered;
  if (known !== undefined && isTrusted) return await showTrusted(known, "is already trusted", signing, context);
  const consent = {
    lines: offeredLines(offered),
    question: "Trust all tool files that are signed with this key?",
    isGiven: input.flag("yes"),
    hasUsedInput: given === "-",
    hint: "Run this in a terminal; or compare the fingerprint with the key's owner, then add --yes.",
  };
  // A revoked key cannot be trusted again: skip the question, `trust` throws.
  if (!isRevoked && !(await hasConsent(consent, context))) return 1;
  if (!isRevoked) await record("trust_key", keyId, context);
  return await showTrusted(await signing.keys.trust(offered.line), "is now trusted", signing, context);
};

function isKeyLine(given: string): boolean {
  return given.startsWith("anygpt-ed25519 ");
}

async function readKeyText(given: string, { io }: Context): Promise<string> {
  if (given === "-") return await readStandardInput(io.stdin, io.signal);
  if (isKeyLine(given)) return given;
  const content = await readTextFile(resolve(io.cwd, given));
  if (content.kind === "text") return content.text;
  const reason = content.kind === "missing" ? "does not exist" : content.reason;
  throw new DiscoveryError("INVALID_REQUEST", `${given} ${reason}.`, {
    hint: "Pass the line that `anygpt mcp keys export` prints, in quotes, or a file that contains it, or - for standard input.",
  });
}

async function showTrusted(key: KnownKey, what: string, { keys, now }: SigningKeys, context: Context) {
  if (context.isJson) {
    context.json({ key: toKeyPage(key, { now: now(), active: (await keys.active())?.keyId }) });
  } else {
    context.show([
      line(0, GOOD, " ", bold(key.name), ` ${what}.`),
      line(2, `Fingerprint: ${readableKeyId(key.keyId)}`),
    ]);
  }
  return 0;
}

export const revokeKey: Handler = async (input, context) => {
  const signing = openSigningKeys(engineOptions(context));
  const { keys, now } = signing;
  const keyId = input.argument("key");
  const known = await findSigningKey(keyId, signing);
  const isRevoked = known.revokedAt !== undefined;
  const consent = {
    lines: revocationLines(known, isRevoked ? undefined : await countFiles(keyId, context)),
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
  const revoked = await keys.revoke(keyId);
  const active = await keys.active();
  if (context.isJson) context.json({ key: toKeyPage(revoked, { now: now(), active: active?.keyId }) });
  else {
    context.show([
      line(0, GOOD, " ", bold(revoked.name), isRevoked ? " was already revoked." : " is revoked. This is permanent."),
      ...(active === undefined && known.isOwn ? [line(2, "Create a new key with `anygpt mcp keys init`.")] : []),
    ]);
  }
  return 0;
};

/** Writes to the audit log before the change takes effect. */
async function record(action: string, subject: string, context: Context): Promise<void> {
  await useEngine(context, async (engine) => await noteAction(await engine.stages(), action, subject));
}

/** Undefined if the configuration is invalid. */
async function countFiles(keyId: string, context: Context): Promise<number | undefined> {
  try {
    return await useEngine(context, async (engine) => {
      const { files } = (await engine.stages()).configuredServers.toolFiles;
      return files.filter(({ trust }) => trust.kind === "signed" && trust.keyId === keyId).length;
    });
  } catch {
    return undefined;
  }
}
