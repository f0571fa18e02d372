import { resolve } from "node:path";
import { DiscoveryError } from "../../../errors.js";
import { keyIdOf, parseKeyBytes } from "../../../toolfiles/keys/ed25519.js";
import { type KeyLine, parseKeyLine } from "../../../toolfiles/keys/key-line.js";
import type { KnownKey } from "../../../toolfiles/keys/known-key.js";
import { readTextFile } from "../../../util/document/text.js";
import { readAll } from "../arguments.js";
import type { Handler } from "../command.js";
import type { Context } from "../context.js";
import { bold, GOOD, line, type Line, WARNING } from "../lines.js";
import { isAgreed, type KeyDesk, openKeyDesk, recordAct } from "../toolfiles/key-desk.js";
import { fingerprintOf, toKeyPage } from "../toolfiles/key-page.js";

export const trustKey: Handler = async (input, context) => {
  const desk = openKeyDesk(context);
  const given = input.argument("key");
  const offered = parse(await read(given, context), given);
  const keyId = keyIdOf(parseKeyBytes(offered.publicKey) ?? Buffer.alloc(0));
  const known = await desk.keys.find(keyId);
  const isSame = known?.isOwn === true || (known?.notAfter === undefined && known?.name === offered.name);
  if (known !== undefined && known.revokedAt === undefined && isSame) {
    await tell(known, "is trusted already", desk, context);
    return 0;
  }
  const consent = {
    lines: offeredLines(offered, keyId, (await desk.keys.list()).keys),
    question: "Trust every tool file that is signed with this key?",
    isGiven: input.flag("yes"),
    hasUsedInput: given === "-",
    hint: "Run this at a terminal, or compare the fingerprint with its owner first and give --yes.",
  };
  // What was revoked stays so: nobody is asked about it.
  if (known?.revokedAt === undefined && !(await isAgreed(consent, context))) return 1;
  if (known?.revokedAt === undefined) await recordAct({ action: "trust_key", subject: keyId }, context);
  await tell(await desk.keys.trust(offered), "is trusted from now on", desk, context);
  return 0;
};

async function read(given: string, { io }: Context): Promise<string> {
  if (given === "-") return await readAll(io.stdin, io.signal);
  if (given.startsWith("anygpt-ed25519 ")) return given;
  const content = await readTextFile(resolve(io.cwd, given));
  if (content.kind === "text") return content.text;
  const reason = content.kind === "missing" ? "does not exist" : content.reason;
  throw new DiscoveryError("INVALID_REQUEST", `${given} ${reason}.`, {
    hint: "Give the line that `anygpt mcp keys export` prints, in quotes, or a file that holds it, or - for standard input.",
  });
}

function parse(text: string, given: string): KeyLine {
  const parsed = parseKeyLine(text);
  if (parsed !== undefined) return parsed;
  const origin = given.startsWith("anygpt-ed25519 ") ? "This" : given === "-" ? "Standard input" : given;
  throw new DiscoveryError("INVALID_REQUEST", `${origin} is no public key.`, {
    hint: "It is one line `anygpt-ed25519 KEY NAME`, as `anygpt mcp keys export` prints it where the files are signed.",
  });
}

function offeredLines({ name }: KeyLine, keyId: string, keys: readonly KnownKey[]): Line[] {
  const namesake = keys.find((key) => key.name === name && key.keyId !== keyId);
  return [
    line(0, WARNING, " Files signed with this key may name servers to send data to, and programs to start:"),
    line(2, bold(name)),
    line(2, `key ${keyId}`),
    line(2, `fingerprint ${fingerprintOf(keyId)}`),
    ...(namesake === undefined ? [] : [line(2, `Another key here has the same name: ${namesake.keyId}.`)]),
    line(0, "Compare the fingerprint with its owner, who sees it with `anygpt mcp keys list`."),
  ];
}

async function tell(key: KnownKey, what: string, { keys, place }: KeyDesk, context: Context): Promise<void> {
  if (context.isJson) {
    const active = (await keys.active())?.keyId;
    context.json({ key: toKeyPage(key, { now: place.now(), active }) });
  } else {
    context.show([
      line(0, GOOD, " ", bold(key.name), ` ${what}.`),
      line(2, `Fingerprint: ${fingerprintOf(key.keyId)}`),
    ]);
  }
}
