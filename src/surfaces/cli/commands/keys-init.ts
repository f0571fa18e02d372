import { DiscoveryError } from "../../../errors.js";
import type { KnownKey } from "../../../toolfiles/keys/known-key.js";
import type { Handler } from "../command.js";
import { blocks, GOOD, line, type Line, verbatim } from "../lines.js";
import { openKeyDesk } from "../toolfiles/key-desk.js";
import { fingerprintOf, shownTime, toKeyPage } from "../toolfiles/key-page.js";
import { parseSpan } from "../toolfiles/span.js";
import { signerName } from "../../../toolfiles/keys/signer-name.js";

export const initKey: Handler = async (input, context) => {
  const { keys, place } = openKeyDesk(context);
  const overlap = input.text("overlap");
  const isRotation = input.flag("rotate");
  const before = await keys.active();
  if (overlap !== undefined && !isRotation) throw wrong("--overlap is for --rotate.", "Give both, or neither.");
  if (before !== undefined && !isRotation) {
    throw wrong(
      `There is a key that signs already: ${before.keyId} (${before.name}).`,
      "`anygpt mcp keys init --rotate` makes a new one in its place; `anygpt mcp keys export` shows this one.",
    );
  }
  const overlapMs = overlap === undefined ? undefined : parseSpan(overlap);
  const name = input.text("name") ?? before?.name ?? signerName();
  const key = await keys.create({ name, ...(overlapMs === undefined ? {} : { overlapMs }) });
  const old = before === undefined ? undefined : await keys.find(before.keyId);
  if (context.isJson) {
    const moment = { now: place.now(), active: key.keyId };
    context.json({ key: toKeyPage(key, moment), ...(old === undefined ? {} : { replaced: toKeyPage(old, moment) }) });
  } else context.show(createdLines(key, await keys.exportLine(key.keyId), { old, now: place.now() }));
  return 0;
};

interface Before {
  readonly old: KnownKey | undefined;
  readonly now: number;
}

function createdLines({ keyId, name }: KnownKey, publicLine: string, { old, now }: Before): Line[] {
  const until = old?.notAfter === undefined ? "then" : shownTime(old.notAfter, now);
  return blocks([
    [line(0, GOOD, ` ${name} is your key from now on.`), line(2, `Fingerprint: ${fingerprintOf(keyId)}`)],
    [line(0, "Whoever is to trust your tool files needs this line; it is no secret:"), verbatim(2, publicLine)],
    old === undefined
      ? []
      : [
          line(0, `Your key before, ${old.keyId}, is good until ${until}.`),
          line(2, "Sign what it has signed anew by then: `anygpt mcp sign --all`."),
        ],
  ]);
}

function wrong(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}
