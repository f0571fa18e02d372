import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { findProjectConfigs, findProjectVariables, type ProjectFile } from "../../../config/project-files.js";
import type { Trust } from "../../../config/trust.js";
import { openConfig } from "../../../config/read.js";
import { placeFor } from "../../../open-engine.js";
import { DiscoveryError } from "../../../errors.js";
import { expandHome } from "../../../util/home-path.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { BAD, blocks, bold, GOOD, line, type Line, WARNING } from "../lines.js";
import { useEngine } from "../session.js";
import { fileLines, optionsOf } from "../trust-files.js";

export const trustConfig: Handler = async (input, context) => {
  const { trust } = placeFor(optionsOf(context));
  if (input.flag("list")) return await list(trust, context);
  if (input.flag("revoke")) return await revoke(trust, input, context);
  const named = input.list("files");
  const files = named.length > 0 ? await openNamed(named, context) : await findAll(trust, context);
  for (const { file, content } of files) await trust.record(file, content);
  if (context.isJson) context.json({ trusted: files.map(({ kind, file, effects }) => ({ kind, file, effects })) });
  else context.show(trustedLines(files));
  return 0;
};

/** The project's configurations and variables, and what its files for other programs would add when those are in force. */
async function findAll(trust: Trust, context: Context): Promise<ProjectFile[]> {
  const { loadParts } = placeFor(optionsOf(context));
  const own = [...(await findProjectConfigs(loadParts)), ...(await findProjectVariables(loadParts))];
  for (const { file, content } of own) await trust.record(file, content);
  const foreign = await findForeign(context);
  for (const { file, content } of foreign) await trust.record(file, content);
  // What is in force now may name files of variables in its turn.
  return [...own, ...foreign, ...(foreign.length === 0 ? [] : await findForeign(context))];
}

async function findForeign(context: Context): Promise<ProjectFile[]> {
  return await useEngine(context, async (engine) => {
    // A configuration may be trusted and wrong; whoever uses it is told what is wrong.
    const stages = await engine.stages().catch(() => undefined);
    return (stages?.collected.untrusted ?? []).map((file) => ({ kind: "configuration", ...file }));
  });
}

async function openNamed(names: readonly string[], { io }: Context): Promise<ProjectFile[]> {
  const { home } = placeFor({ cwd: io.cwd, env: io.env });
  return await Promise.all(
    names.map(async (name) => {
      const file = resolve(io.cwd, expandHome(name, home));
      const opened = /\.config\.\w+$/.test(file) ? await openConfig(file) : undefined;
      return opened?.kind === "opened"
        ? { kind: "configuration", file, content: opened.content, effects: [] }
        : await openPlain(file);
    }),
  );
}

async function openPlain(file: string): Promise<ProjectFile> {
  const content = await readContent(file).catch((error: unknown) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} could not be read (${code}).`, {
      hint: "Name files that exist, or none to trust those of this folder.",
    });
  });
  return { kind: "configuration", file, content, effects: [] };
}

/** A folder that is trusted as such has no content. */
async function readContent(path: string): Promise<Uint8Array> {
  return (await stat(path)).isDirectory() ? new Uint8Array() : await readFile(path);
}

function trustedLines(files: readonly ProjectFile[]): Line[] {
  if (files.length === 0) return [line(0, "This folder has no file that would need to be trusted.")];
  return blocks([
    files.flatMap((one) => fileLines(one, GOOD)),
    [line(0, "Trusted as they are now. A file that changes has to be trusted again.")],
  ]);
}

async function list(trust: Trust, context: Context): Promise<number> {
  const entries = await Promise.all(
    trust.list().map(async (entry) => ({ ...entry, status: await statusOf(entry.path, trust) })),
  );
  if (context.isJson) context.json({ trusted: entries });
  else context.show(entries.length === 0 ? [line(0, "No file is trusted.")] : entries.map(entryLine));
  return 0;
}

type Status = "ok" | "changed" | "missing";

async function statusOf(path: string, trust: Trust): Promise<Status> {
  const opened = await openConfig(path);
  const plain = await readContent(path).catch(() => undefined);
  if (plain === undefined) return "missing";
  const isSame = trust.isTrusted(path, plain) || (opened.kind === "opened" && trust.isTrusted(path, opened.content));
  return isSame ? "ok" : "changed";
}

const STATUS = {
  ok: { mark: GOOD, text: "" },
  changed: { mark: WARNING, text: " - changed since, and not used" },
  missing: { mark: BAD, text: " - not there any more" },
} as const;

function entryLine({ path, trustedAt, status }: { path: string; trustedAt: number; status: Status }): Line {
  const { mark, text } = STATUS[status];
  return line(0, mark, " ", bold(path), ` (${new Date(trustedAt).toISOString().slice(0, 10)})${text}`);
}

/** Without a file, everything in this folder. */
async function revoke(trust: Trust, input: Input, context: Context): Promise<number> {
  const { io } = context;
  const { home } = placeFor({ cwd: io.cwd, env: io.env });
  const named = input.list("files").map((name) => resolve(io.cwd, expandHome(name, home)));
  const paths = named.length > 0 ? named : trust.inFolder(io.cwd);
  const revoked: string[] = [];
  for (const path of paths) if (await trust.revoke(path)) revoked.push(path);
  if (context.isJson) context.json({ revoked });
  else if (revoked.length === 0) context.show([line(0, "Nothing here was trusted.")]);
  else context.show(revoked.map((path) => line(0, GOOD, ` ${path} is not trusted any more.`)));
  return 0;
}
