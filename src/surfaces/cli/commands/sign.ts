import { basename, dirname, resolve } from "node:path";
import { DiscoveryError, ERRORS } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import { expandHome } from "../../../util/home-path.js";
import type { SigningKey } from "../../../toolfiles/keys/known-key.js";
import { isToolId } from "../../../toolfiles/ids/tool-id.js";
import { ask, canInterrupt } from "../ask.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { blocks, bold, count, GOOD, line } from "../lines.js";
import { type FileDesk, type FoundFile, isLookedInto, pick, toFound, withToolFiles } from "../toolfiles/file-desk.js";
import { serverLines } from "../toolfiles/file-lines.js";
import { toFilePage } from "../toolfiles/file-page.js";
import { assertAllReadable, readUnsigned, type Signable, writeSigned } from "../toolfiles/signable.js";
import { signerName } from "../../../toolfiles/keys/signer-name.js";

export const signFiles: Handler = (input, context) =>
  withToolFiles(context, async (desk) => {
    const paths = await choose(input, context, desk);
    const { key, isNew } = await openKey(input.text("key"), desk);
    const moment = { key, keys: await desk.keys.list(), now: desk.stages.place.now() };
    const read = await Promise.all(paths.map((path) => readUnsigned(path, moment)));
    const all = assertAllReadable(read);
    const open = all.filter(({ isSigned }) => !isSigned);
    if (open.length > 0 && !(await isWanted(open, key, input, context))) return 1;
    for (const signable of open) await write(signable, desk);
    tell({ all, key, isNew }, context);
    return await warnOfRefused(paths, context, desk);
  });

/** The files that were named, or with `--all` those that are to be vouched for by the person at this machine. */
async function choose(input: Input, context: Context, desk: FileDesk): Promise<string[]> {
  const named = input.list("files");
  if (named.length > 0 === input.flag("all")) {
    throw new DiscoveryError("INVALID_REQUEST", "Either files or --all have to be named.", {
      hint: "`anygpt mcp verify` shows which tool files wait for a signature.",
    });
  }
  const found = toFound(await desk.read());
  const own = new Set((await desk.keys.list()).keys.filter(({ isOwn }) => isOwn).map(({ keyId }) => keyId));
  if (named.length === 0) return [...new Set(found.filter((one) => isOurs(one, own)).map(({ path }) => path))];
  return [...new Set(named.flatMap((word) => toPaths(word, found, context, desk)))];
}

/** What another trusted person has signed needs nobody else's signature. */
function isOurs(found: FoundFile, own: ReadonlySet<string>): boolean {
  // A folder may be refused as a whole.
  if (found.kind === "refused" && !found.path.endsWith(".yaml")) return false;
  if (found.kind === "refused") return isToolId(found.toolId) && found.refused.reason !== "shadowed";
  const { trust } = found.verified;
  return trust.kind === "hash" || own.has(trust.keyId);
}

function toPaths(word: string, found: readonly FoundFile[], { io }: Context, { folders, stages }: FileDesk): string[] {
  if (!isToolId(word)) return [resolve(io.cwd, expandHome(word, stages.place.home))];
  // The first folder's file is the one that is used.
  const [first] = pick(found, [word], folders).toSorted(
    (a, b) => folders.indexOf(dirname(a.path)) - folders.indexOf(dirname(b.path)),
  );
  return first === undefined ? [] : [first.path];
}

async function openKey(wanted: string | undefined, { keys }: FileDesk): Promise<{ key: SigningKey; isNew: boolean }> {
  const known = wanted === undefined ? await keys.active() : await keys.signing(wanted);
  if (known !== undefined) return { key: known, isNew: false };
  if (wanted !== undefined) throw cannotSign(`${JSON.stringify(wanted)} is no key that could sign here`);
  await keys.create({ name: signerName() });
  const created = await keys.active();
  if (created === undefined) throw cannotSign("There is no key that could sign");
  return { key: created, isNew: true };
}

function cannotSign(what: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${what}.`, {
    hint: "`anygpt mcp keys list` shows your keys, and what is wrong with those that cannot be used.",
  });
}

/** At a terminal, who signs has seen what. */
async function isWanted(
  open: readonly Signable[],
  { name }: SigningKey,
  input: Input,
  context: Context,
): Promise<boolean> {
  if (context.isJson) return true;
  context.note([...serverLines(open), line(0, "")]);
  if (input.flag("yes") || !canInterrupt(context)) return true;
  return (await ask(`Sign ${count(open.length, "file")} as ${name}?`, context)) === "yes";
}

async function write(signable: Signable, { stages }: FileDesk): Promise<void> {
  const { path, file } = signable;
  const { id: by, surface } = localActor("cli");
  await stages.books.note({ action: "sign_tool_file", subject: `${path} ${file.version}`, by, surface });
  await writeSigned(signable);
}

interface Outcome {
  readonly all: readonly Signable[];
  readonly key: SigningKey;
  readonly isNew: boolean;
}

function tell({ all, key, isNew }: Outcome, context: Context): void {
  const { keyId, name } = key;
  if (context.isJson) {
    return context.json({
      key: { key_id: keyId, name, created: isNew },
      files: all.map(({ file, path, isSigned }) => ({ ...toFilePage(file), file: path, signed: !isSigned })),
    });
  }
  if (all.length === 0) return context.show([line(0, "Nothing is to be signed.")]);
  context.show(
    blocks([
      isNew ? [line(0, GOOD, ` Your key is ${name} (${keyId}); it was made just now.`)] : [],
      all.map(({ file, isSigned }) =>
        line(0, GOOD, " ", bold(file.toolId), isSigned ? ` is signed by ${name} already.` : ` is signed by ${name}.`),
      ),
    ]),
  );
}

/** What is signed may still not be used: it may be older than what was here, or lie where nobody looks. */
async function warnOfRefused(paths: readonly string[], context: Context, desk: FileDesk): Promise<number> {
  for (const path of paths.filter((one) => !isLookedInto(one, desk))) {
    context.warn(`${path} is signed and not used: ${basename(dirname(path))} is no folder of toolFiles.folders.`);
  }
  const { refused } = await desk.read();
  const bad = refused.filter(({ path, reason }) => paths.includes(path) && reason !== "shadowed");
  for (const { error } of bad) context.warn(`${error.message} ${error.hint ?? ""}`.trim());
  return bad.length === 0 ? 0 : ERRORS.SIGNATURE_INVALID.exit;
}
