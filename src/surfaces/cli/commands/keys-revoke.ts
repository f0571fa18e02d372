import { DiscoveryError, toDiscoveryError } from "../../../errors.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { bold, count, GOOD, line, WARNING } from "../lines.js";
import { useEngine } from "../session.js";
import { isAgreed, openKeyDesk, recordAct } from "../toolfiles/key-desk.js";
import { fingerprintOf, toKeyPage } from "../toolfiles/key-page.js";

export const revokeKey: Handler = async (input, context) => {
  const { keys, place } = openKeyDesk(context);
  const keyId = input.argument("key");
  const known = await keys.find(keyId);
  if (known === undefined) throw unknown(keyId);
  const isRevoked = known.revokedAt !== undefined;
  const files = isRevoked ? undefined : await countFiles(keyId, context);
  const consent = {
    lines: [
      line(0, WARNING, " ", bold(known.name), ` would be revoked for ever${known.isOwn ? "; it is your own" : ""}:`),
      line(2, `fingerprint ${fingerprintOf(keyId)}`),
      ...(files === undefined ? [] : [line(2, `${count(files, "tool file")} here would not be used any more.`)]),
    ],
    question: "Revoke it?",
    isGiven: input.flag("yes") || isRevoked,
    hint: "Run this at a terminal, or give --yes.",
  };
  if (!(await isAgreed(consent, context))) return 1;
  if (!isRevoked) await record(keyId, context);
  const revoked = await keys.revoke(keyId);
  const active = await keys.active();
  if (context.isJson) context.json({ key: toKeyPage(revoked, { now: place.now(), active: active?.keyId }) });
  else {
    context.show([
      line(0, GOOD, " ", bold(revoked.name), isRevoked ? " was revoked before." : " is revoked, and stays so."),
      ...(active === undefined && known.isOwn ? [line(2, "`anygpt mcp keys init` makes a new key of your own.")] : []),
    ]);
  }
  return 0;
};

/** A key that must not be trusted is revoked, whatever is wrong with everything else. */
async function record(keyId: string, context: Context): Promise<void> {
  try {
    await recordAct({ action: "revoke_key", subject: keyId }, context);
  } catch (error) {
    context.warn(`This could not be recorded: ${toDiscoveryError(error).message}`);
  }
}

async function countFiles(keyId: string, context: Context): Promise<number | undefined> {
  try {
    return await useEngine(context, async (engine) => {
      const { files } = (await engine.stages()).collected.toolFiles;
      return files.filter(({ trust }) => trust.kind === "signed" && trust.keyId === keyId).length;
    });
  } catch {
    return undefined;
  }
}

function unknown(keyId: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `No key has the id ${JSON.stringify(keyId)}.`, {
    hint: "`anygpt mcp keys list` shows the keys with their ids.",
  });
}
