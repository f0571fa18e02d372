import { basename, dirname, resolve } from "node:path";
import { DiscoveryError, ERRORS } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import { expandHome } from "../../../util/home-path.js";
import type { SigningKey } from "../../../toolfiles/keys/known-key.js";
import { LARGEST_BYTES } from "../../../toolfiles/format/tool-file.js";
import { isToolId } from "../../../toolfiles/ids/tool-id.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { blocks, bold, count, GOOD, line } from "../lines.js";
import { type FileDesk, type FoundFile, isLookedInto, pick, toFound, withToolFiles } from "../toolfiles/file-desk.js";
import { serverLines } from "../toolfiles/file-lines.js";
import { toFilePage } from "../toolfiles/file-page.js";
import { isAgreed } from "../toolfiles/key-desk.js";
import { assertAllReadable, readOurs, readUnsigned, type Signable, writeSigned } from "../toolfiles/signable.js";
import { readBytes } from "../../../toolfiles/read-bytes.js";
import { rankOf } from "../../../toolfiles/version-book.js";
import { realPath } from "../../../util/inside.js";
import { signerName } from "../../../toolfiles/keys/signer-name.js";
import { claimFolder } from "../../../tool-files.js";

export const signFiles: Handler = (input, context) =>
  withToolFiles(context, async (desk) => {
    const paths = await choose(input, context, desk);
    const known = await findKey(input.text("key"), desk);
    const moment = { keyId: known?.keyId, keys: await desk.keys.list(), now: desk.stages.place.now() };
    const read = await Promise.all(paths.map((path) => readUnsigned(path, moment)));
    const all = assertAllReadable(read);
    const open = all.filter(({ isSigned }) => !isSigned);
    if (open.length > 0 && !(await isWanted(open, known?.name ?? signerName(), input, context))) {
      context.note([line(0, "Nothing was signed.")]);
      return 1;
    }
    const key = known ?? (open.length > 0 ? await makeKey(desk) : undefined);
    if (key !== undefined) for (const signable of open) await write(signable, key, desk);
    tell({ all, key, isNew: known === undefined }, context);
    return await warnOfRefused(input.flag("all") ? undefined : paths, context, desk);
  });

/** The files that were named, or with `--all` those that somebody at this machine has signed before. */
async function choose(input: Input, context: Context, desk: FileDesk): Promise<string[]> {
  const named = input.list("files");
  if (named.length > 0 === input.flag("all")) {
    throw new DiscoveryError("INVALID_REQUEST", "Either files or --all have to be named.", {
      hint: "`anygpt mcp verify` shows which tool files wait for a signature.",
    });
  }
  const found = toFound(await desk.read());
  if (named.length === 0) return await chooseOurs(found, desk);
  return [...new Set(named.flatMap((word) => toPaths(word, found, context, desk)))];
}

/** What anybody else may have written, or put back, is signed only by whoever names it. */
async function chooseOurs(found: readonly FoundFile[], { keys, stages }: FileDesk): Promise<string[]> {
  const moment = { keys: await keys.list(), now: stages.place.now() };
  const isOurs = async (one: FoundFile): Promise<boolean> => {
    if (one.kind === "good") return readOurs(one.path, one.verified.bytes, moment) !== undefined;
    const read = await readBytes(one.path, LARGEST_BYTES * 2);
    const ours = read.kind === "bytes" ? readOurs(one.path, read.bytes, moment) : undefined;
    if (ours === undefined) return false;
    const seen = await stages.books.store.toolFiles.list(realPath(dirname(one.path)));
    return !seen.some(({ toolId, rank }) => toolId === ours.toolId && rank > rankOf(ours.version, ours.validatedAt));
  };
  const paths = await Promise.all(found.map(async (one) => ((await isOurs(one)) ? [one.path] : [])));
  return [...new Set(paths.flat())];
}

function toPaths(word: string, found: readonly FoundFile[], { io }: Context, { folders, stages }: FileDesk): string[] {
  if (!isToolId(word)) return [resolve(io.cwd, expandHome(word, stages.place.home))];
  // The first folder's file is the one that is used.
  const [first] = pick(found, [word], folders).toSorted(
    (a, b) => folders.indexOf(dirname(a.path)) - folders.indexOf(dirname(b.path)),
  );
  return first === undefined ? [] : [first.path];
}

/** Undefined where there is none yet. */
async function findKey(wanted: string | undefined, { keys }: FileDesk): Promise<SigningKey | undefined> {
  const known = wanted === undefined ? await keys.active() : await keys.signing(wanted);
  if (known === undefined && wanted !== undefined) {
    throw cannotSign(`${JSON.stringify(wanted)} is no key that could sign here`);
  }
  return known;
}

async function makeKey({ keys }: FileDesk): Promise<SigningKey> {
  await keys.create({ name: signerName() });
  const created = await keys.active();
  if (created === undefined) throw cannotSign("There is no key that could sign");
  return created;
}

function cannotSign(what: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `${what}.`, {
    hint: "`anygpt mcp keys list` shows your keys, and what is wrong with those that cannot be used.",
  });
}

/** Who signs has seen what, and whose it was, or has said yes already. */
async function isWanted(open: readonly Signable[], name: string, input: Input, context: Context): Promise<boolean> {
  if (!context.isJson) context.note([...serverLines(open), line(0, "")]);
  const consent = {
    lines: [],
    question: `Sign ${count(open.length, "file")} as ${name}?`,
    isGiven: input.flag("yes"),
    hint: "Look through the files, then run this at a terminal, or give --yes.",
  };
  return await isAgreed(consent, context);
}

async function write(signable: Signable, key: SigningKey, { stages }: FileDesk): Promise<void> {
  const { path, file } = signable;
  const { id: by, surface } = localActor("cli");
  await stages.books.note({ action: "sign_tool_file", subject: `${path} ${file.version}`, by, surface });
  await claimFolder(stages.place, dirname(path));
  await writeSigned(signable, { key, now: stages.place.now() });
}

interface Outcome {
  readonly all: readonly Signable[];
  /** Undefined where none was needed. */
  readonly key: SigningKey | undefined;
  readonly isNew: boolean;
}

function tell({ all, key, isNew }: Outcome, context: Context): void {
  if (context.isJson) {
    return context.json({
      ...(key === undefined ? {} : { key: { key_id: key.keyId, name: key.name, created: isNew } }),
      files: all.map(({ file, path, isSigned }) => ({ ...toFilePage(file), file: path, signed: !isSigned })),
    });
  }
  if (key === undefined || all.length === 0) return context.show([line(0, "Nothing is to be signed.")]);
  const { keyId, name } = key;
  context.show(
    blocks([
      isNew ? [line(0, GOOD, ` Your key is ${name} (${keyId}); it was made just now.`)] : [],
      all.map(({ file, isSigned }) =>
        line(0, GOOD, " ", bold(file.toolId), isSigned ? ` is signed by ${name} already.` : ` is signed by ${name}.`),
      ),
    ]),
  );
}

/**
 * What is signed may still not be used: it may be older than what was here, or lie where nobody looks. Where all were meant,
 * `paths` is undefined, and whatever was left alone is told of.
 */
async function warnOfRefused(paths: readonly string[] | undefined, context: Context, desk: FileDesk): Promise<number> {
  for (const path of (paths ?? []).filter((one) => !isLookedInto(one, desk))) {
    context.warn(`${path} is signed and not used: ${basename(dirname(path))} is no folder of toolFiles.folders.`);
  }
  const { refused } = await desk.read();
  const bad = refused.filter(({ path, reason }) => (paths?.includes(path) ?? true) && reason !== "shadowed");
  for (const { error } of bad) context.warn(`${error.message} ${error.hint ?? ""}`.trim());
  return bad.length === 0 ? 0 : ERRORS.SIGNATURE_INVALID.exit;
}
