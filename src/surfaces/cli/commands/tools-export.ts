import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { DiscoveryError } from "../../../errors.js";
import { nearestNames } from "../../../search/nearest.js";
import { toArchive } from "../../../toolfiles/archive/archive.js";
import type { Bundle, BundledKey } from "../../../toolfiles/archive/bundle.js";
import { writeBundleFolder } from "../../../toolfiles/archive/bundle-folder.js";
import type { VerifiedFile } from "../../../toolfiles/read-tool-files.js";
import { absolutePath } from "../../../util/home-path.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { blocks, bold, count, GOOD, line } from "../lines.js";
import { type FileDesk, type FoundFile, pick, toFound, withToolFiles } from "../toolfiles/file-desk.js";
import { fingerprintOf } from "../toolfiles/key-page.js";

const ARCHIVE = /\.(?:tgz|tar\.gz)$/i;

export const exportTools: Handler = (input, context) =>
  withToolFiles(context, async (desk) => {
    const named = input.text("output") ?? "";
    const output = absolutePath(named, { home: desk.stages.place.home, baseDir: context.io.cwd });
    const chosen = choose(input, toFound(await desk.read()), context, desk);
    const bundle = await toBundle(chosen, desk);
    if (ARCHIVE.test(output)) await writeArchive(output, await toArchive(bundle), input.flag("force"));
    else await writeBundleFolder(output, bundle);
    if (context.isJson) {
      context.json({
        output,
        files: bundle.files.map(({ toolId }) => toolId),
        keys: bundle.keys.map(({ keyId, name }) => ({ key_id: keyId, name })),
      });
    } else {
      context.show(
        blocks([
          [line(0, GOOD, ` ${count(bundle.files.length, "tool file")} written to `, bold(output), ".")],
          [
            line(0, "Whoever installs it is asked to trust this. Tell them the fingerprint by another way:"),
            ...bundle.keys.map(({ keyId, name }) => line(2, `${name}: ${fingerprintOf(keyId)}`)),
          ],
        ]),
      );
    }
    return 0;
  });

/** What was named has to be good; of everything else, what is refused is left out and told. */
function choose(input: Input, found: readonly FoundFile[], context: Context, { folders }: FileDesk): VerifiedFile[] {
  const ids = input.list("tools");
  const server = input.text("server");
  if (ids.length > 0 && server !== undefined) {
    throw new DiscoveryError("INVALID_REQUEST", "Both tools and --server were given.", { hint: "Give one of them." });
  }
  const good = found.flatMap((one) => (one.kind === "good" ? [one.verified] : []));
  if (ids.length > 0) {
    const picked = pick(found, ids, folders);
    const usable = new Set(good.map(({ file }) => file.toolId));
    const bad = picked.find((one) => one.kind === "refused" && !usable.has(one.toolId));
    if (bad?.kind === "refused") throw bad.refused.error;
    return good.filter(({ file }) => ids.includes(file.toolId));
  }
  for (const one of found) {
    if (one.kind === "refused" && one.refused.reason !== "shadowed") {
      context.warn(`${one.path} is left out: ${one.refused.reason}. \`anygpt mcp verify\` tells more.`);
    }
  }
  const chosen = good.filter(({ file }) => server === undefined || file.server === server);
  if (chosen.length > 0) return chosen;
  if (server === undefined)
    throw nothing("There is no tool file to export.", "`anygpt mcp verify` shows the tool files.");
  const near = nearestNames(server, new Set(good.map(({ file }) => file.server)));
  throw nothing(
    `No tool file is about the server ${JSON.stringify(server)}.`,
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "`anygpt mcp verify` shows the tool files.",
  );
}

async function toBundle(chosen: readonly VerifiedFile[], { keys }: FileDesk): Promise<Bundle> {
  const used = new Map<string, BundledKey>();
  for (const { trust, path } of chosen) {
    if (trust.kind !== "signed") {
      throw nothing(`${path} is signed by nobody.`, "Sign it first with `anygpt mcp sign`, or leave it out.");
    }
    const key = used.has(trust.keyId) ? undefined : await keys.find(trust.keyId);
    if (key !== undefined) used.set(key.keyId, { keyId: key.keyId, publicKey: key.publicKey, name: key.name });
  }
  return { files: chosen.map(({ file, bytes }) => ({ toolId: file.toolId, bytes })), keys: [...used.values()] };
}

function nothing(message: string, hint: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", message, { hint });
}

async function writeArchive(output: string, bytes: Buffer, isForced: boolean): Promise<void> {
  if (existsSync(output) && !isForced) {
    throw nothing(`${output} exists already.`, "Name another file, or replace it with --force.");
  }
  const draft = `${output}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(draft, bytes, { flag: "wx" });
    await rename(draft, output);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown reason";
    throw new DiscoveryError("INVALID_REQUEST", `${output} could not be written (${code}).`, {
      hint: "Name a file in a folder that exists and that you may write to.",
      cause: error,
    });
  } finally {
    await rm(draft, { force: true });
  }
}
