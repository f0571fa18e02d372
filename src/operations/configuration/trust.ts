// Trust in the files of a project. The gateway ignores such a file until the user trusts its current content.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { findProjectConfigs, findProjectVariables, type ProjectFile } from "../../config/project-files.js";
import { openConfig } from "../../config/read.js";
import type { Trust } from "../../config/trust.js";
import { openEngine } from "../../engine.js";
import type { OpenOptions } from "../../gateway/engine-options.js";
import { DiscoveryError } from "../../errors.js";
import { environmentFor } from "../../gateway/find-configuration.js";
import { expandHome } from "../../util/home-path.js";
import { readRegularFile } from "../../util/regular-file.js";

/** A file that the user has trusted. `changed`: its content differs from the trusted content. */
export interface TrustedFile {
  readonly path: string;
  /** When the user trusted the file, as Unix time in milliseconds. */
  readonly trustedAt: number;
  readonly status: "ok" | "changed" | "missing";
}

/** Which of these files to trust, after the user has seen them. */
export type DecideTrust = (files: readonly ProjectFile[]) => Promise<readonly ProjectFile[]>;

export interface TrustedNow {
  /** The files whose current content is trusted now, those that were trusted before included. */
  readonly trusted: readonly ProjectFile[];
  /** The files that the user has not agreed to. */
  readonly left: readonly ProjectFile[];
}

/**
 * Trusts the current content of the files that `decide` returns. Without names, it decides about all configurations and
 * variable files of the project in the working folder, and about the project's files of other MCP clients.
 */
export async function trustFiles(
  options: OpenOptions,
  names: readonly string[],
  decide: DecideTrust,
): Promise<TrustedNow> {
  const { trust, cwd, home, loadParts } = environmentFor(options);
  const [trusted, left]: [ProjectFile[], ProjectFile[]] = [[], []];
  const settle = async (files: readonly ProjectFile[]): Promise<number> => {
    const open = files.filter(({ file, content }) => !trust.isTrusted(file, content));
    const agreed = open.length === 0 ? [] : await decide(open);
    for (const { file, content } of agreed) await trust.record(file, content);
    trusted.push(...files.filter((one) => !open.includes(one) || agreed.includes(one)));
    left.push(...open.filter((one) => !agreed.includes(one)));
    return agreed.length;
  };
  if (names.length > 0) {
    await settle(await Promise.all(names.map((name) => openNamed(resolve(cwd, expandHome(name, home))))));
    return { trusted, left };
  }
  await settle(await findProjectConfigs(loadParts));
  // A trusted configuration uses the variable files of its folder without a decision about each.
  if (trusted.length === 0) await settle(await findProjectVariables(loadParts));
  // The files that were just trusted may refer to variable files, which need trust too.
  for (let added = 1, round = 0; added > 0 && round < MAX_ROUNDS; round += 1) {
    const seen = new Set([...trusted, ...left].map(({ file }) => file));
    added = await settle((await findForeignFiles(options)).filter(({ file }) => !seen.has(file)));
  }
  return { trusted, left };
}

const MAX_ROUNDS = 2;

async function findForeignFiles(options: OpenOptions): Promise<ProjectFile[]> {
  const engine = openEngine(options);
  try {
    // A trusted configuration may be invalid. The commands that use it report the error.
    const stages = await engine.stages().catch(() => undefined);
    return (stages?.configuredServers.untrusted ?? []).map((file) => ({ kind: "configuration", ...file }));
  } finally {
    await engine.close();
  }
}

async function openNamed(file: string): Promise<ProjectFile> {
  const opened = /\.config\.\w+$/.test(file) ? await openConfig(file) : undefined;
  const content = opened?.kind === "opened" ? opened.content : await readContent(file).catch(unreadable(file));
  return { kind: "configuration", file, content, effects: [] };
}

function unreadable(file: string): (error: unknown) => never {
  return (error) => {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    throw new DiscoveryError("CONFIGURATION_ERROR", `${file} could not be read (${code}).`, {
      hint: "Name files that exist, or omit the names to trust all files of this folder.",
    });
  };
}

/** Reads the content to trust. A folder can be trusted too; its content counts as empty. */
async function readContent(path: string): Promise<Uint8Array> {
  return (await stat(path)).isDirectory() ? new Uint8Array() : await readRegularFile(path);
}

export async function listTrustedFiles(options: OpenOptions): Promise<TrustedFile[]> {
  const { trust } = environmentFor(options);
  return await Promise.all(
    trust.list().map(async (entry) => ({ ...entry, status: await statusOf(entry.path, trust) })),
  );
}

async function statusOf(path: string, trust: Trust): Promise<TrustedFile["status"]> {
  const opened = await openConfig(path);
  const plain = await readContent(path).catch(() => undefined);
  if (plain === undefined) return "missing";
  const isSame = trust.isTrusted(path, plain) || (opened.kind === "opened" && trust.isTrusted(path, opened.content));
  return isSame ? "ok" : "changed";
}

/**
 * Revokes the trust in these files. Without names: in every file of the working folder. Returns the files that were
 * trusted.
 */
export async function revokeTrust(options: OpenOptions, names: readonly string[] = []): Promise<string[]> {
  const { trust, cwd, home } = environmentFor(options);
  const named = names.map((name) => resolve(cwd, expandHome(name, home)));
  const revoked: string[] = [];
  for (const path of named.length > 0 ? named : trust.inFolder(cwd)) if (await trust.revoke(path)) revoked.push(path);
  return revoked;
}
