import { dirname } from "node:path";
import { DiscoveryError, ERRORS } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import { toSeen } from "../../../toolfiles/version-book.js";
import { realPath } from "../../../util/inside.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { BAD, blocks, bold, count, dim, GOOD, line, type Line, WARNING } from "../lines.js";
import { type FileDesk, type FoundFile, pick, toFound, withToolFiles } from "../toolfiles/file-desk.js";
import { toVerdictPage } from "../toolfiles/file-page.js";
import { isAgreed } from "../toolfiles/key-desk.js";

export const verifyFiles: Handler = (input, context) =>
  withToolFiles(context, async (desk) => {
    const ids = input.list("tools");
    let found = pick(toFound(await desk.read()), ids, desk.folders);
    if (input.flag("accept")) {
      if (!(await accept(found, input, context, desk))) return 1;
      found = pick(toFound(await desk.read()), ids, desk.folders);
    }
    const isGood = !found.some(isBad);
    if (context.isJson) context.json({ ok: isGood, files: found.map(toVerdictPage) });
    else context.show(verdictLines(found, desk));
    return isGood ? 0 : ERRORS.SIGNATURE_INVALID.exit;
  });

/** A file in whose place another one is used does no harm. */
function isBad(found: FoundFile): boolean {
  return found.kind === "refused" && found.refused.reason !== "shadowed";
}

interface Older {
  readonly toolId: string;
  readonly path: string;
  readonly version: string;
  readonly validatedAt: string;
  readonly seen: string;
}

/** Takes every older version among the files for good, once somebody has agreed. */
async function accept(
  found: readonly FoundFile[],
  input: Input,
  context: Context,
  { stages }: FileDesk,
): Promise<boolean> {
  const older = found.flatMap(toOlder);
  if (older.length === 0) {
    throw new DiscoveryError("INVALID_REQUEST", "None of these files is older than one that was here before.", {
      hint: "`anygpt mcp verify` without --accept shows what is wrong with each file.",
    });
  }
  if (input.flag("yes") && input.list("tools").length === 0) {
    throw new DiscoveryError("INVALID_REQUEST", "With --yes, the tools have to be named.", {
      hint: `Give their ids: ${older.map(({ toolId }) => toolId).join(" ")}.`,
    });
  }
  const consent = {
    lines: [
      line(0, WARNING, " These files are older than what was here before. Whoever can put back an old file can bring"),
      line(2, "back what was wrong with it:"),
      ...older.map(({ path, version, validatedAt, seen }) =>
        line(2, bold(path), ` ${version} of ${validatedAt}, in place of ${seen}`),
      ),
    ],
    question: `Take ${older.length === 1 ? "it" : "them"} from now on?`,
    isGiven: input.flag("yes"),
    hint: "Run this at a terminal, or give --yes with the ids of the tools.",
  };
  if (!(await isAgreed(consent, context))) return false;
  const { id: by, surface } = localActor("cli");
  for (const { toolId, path, version, validatedAt } of older) {
    const subject = `${path} ${version} ${validatedAt}`;
    await stages.books.note({ action: "accept_tool_file", subject, by, surface });
    await stages.books.store.toolFiles.accept(toSeen({ toolId, version, validatedAt }, realPath(dirname(path))));
  }
  return true;
}

function toOlder(found: FoundFile): Older[] {
  if (found.kind !== "refused" || found.refused.reason !== "rolled-back") return [];
  const { version, validatedAt, seen, seenAt } = found.refused.error.facts;
  return [
    {
      toolId: found.toolId,
      path: found.path,
      version: String(version),
      validatedAt: String(validatedAt),
      seen: `${String(seen)} of ${String(seenAt)}`,
    },
  ];
}

function verdictLines(found: readonly FoundFile[], { folders }: FileDesk): Line[] {
  if (found.length === 0) {
    return [
      line(0, `There are no tool files in ${folders.join(" or ")}.`),
      line(2, "`anygpt mcp discover` writes some, `anygpt mcp tools install` takes somebody else's."),
    ];
  }
  const bad = found.filter(isBad).length;
  return blocks([
    [line(0, `${count(found.length, "tool file")}, ${bad === 0 ? "none" : bad} refused:`)],
    ...found.map(foundLines),
  ]);
}

function foundLines(found: FoundFile): Line[] {
  if (found.kind === "good") {
    const { file, path, trust, validatedAt } = found.verified;
    const by = trust.kind === "signed" ? `signed by ${trust.keyName}` : "intact, signed by nobody";
    return [
      line(0, GOOD, " ", bold(file.toolId), ` ${file.version} - ${by}, ${validatedAt}`),
      line(2, dim(trust.kind === "signed" ? `${path}, key ${trust.keyId}` : path)),
    ];
  }
  const { error, reason } = found.refused;
  return [
    line(0, isBad(found) ? BAD : WARNING, " ", bold(found.toolId), ` - ${reason}`),
    line(2, error.message),
    ...(error.hint === undefined ? [] : [line(2, error.hint)]),
  ];
}
