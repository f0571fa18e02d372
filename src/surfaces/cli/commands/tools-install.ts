import { stat } from "node:fs/promises";
import { DiscoveryError } from "../../../errors.js";
import { localActor } from "../../../model/actor.js";
import { claimFolder } from "../../../tool-files.js";
import { readArchive } from "../../../toolfiles/archive/archive.js";
import { type Bundle, MOST_BUNDLE_BYTES, notABundle } from "../../../toolfiles/archive/bundle.js";
import { readBundleFolder } from "../../../toolfiles/archive/bundle-folder.js";
import { installFiles } from "../../../toolfiles/archive/install-files.js";
import { type InstallPlan, planInstall } from "../../../toolfiles/archive/plan-install.js";
import { readBytes } from "../../../toolfiles/read-bytes.js";
import { absolutePath } from "../../../util/home-path.js";
import type { Handler, Input } from "../command.js";
import type { Context } from "../context.js";
import { isLookedInto, type FileDesk, pathOf, withToolFiles } from "../toolfiles/file-desk.js";
import { installationLines, installedLines, toInstallPage } from "../toolfiles/install-page.js";
import { isAgreed } from "../toolfiles/key-desk.js";

export const installTools: Handler = (input, context) =>
  withToolFiles(context, async (desk) => {
    const { place, books } = desk.stages;
    const origin = input.argument("archive");
    const at = (path: string): string => absolutePath(path, { home: place.home, baseDir: context.io.cwd });
    const folder = at(input.text("folder") ?? desk.folders[0] ?? "");
    const bundle = await read(at(origin), origin);
    const keys = await desk.keys.list();
    const plan = await planInstall({ bundle, origin, folder, keys, versions: books.store.toolFiles, now: place.now() });
    if (isAnythingToDo(plan) && !(await isWanted(plan, input, context))) return 1;
    await installFiles(plan, () => trust(plan, origin, desk));
    await claimFolder(place, folder);
    if (context.isJson) context.json(toInstallPage(plan));
    else context.show(installedLines(plan));
    await warnOfUnused(plan, context, desk);
    return 0;
  });

async function read(path: string, origin: string): Promise<Bundle> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder) return await readBundleFolder(path, origin);
  const bytes = await readBytes(path, MOST_BUNDLE_BYTES);
  switch (bytes.kind) {
    case "bytes":
      return await readArchive(bytes.bytes, origin);
    case "gone":
      throw new DiscoveryError("INVALID_REQUEST", `${origin} does not exist.`, {
        hint: "Name an archive or a folder that `anygpt mcp tools export` has written.",
      });
    case "too-large":
      throw notABundle(origin, "it is too large");
    case "unreadable":
      throw notABundle(origin, `it cannot be read: ${bytes.reason}`);
  }
}

function isAnythingToDo({ files, newKeys }: InstallPlan): boolean {
  return newKeys.length > 0 || files.some(({ kind }) => kind !== "same");
}

/** `--yes` alone never trusts a key: whoever makes the archive chooses what is in it. */
async function isWanted(plan: InstallPlan, input: Input, context: Context): Promise<boolean> {
  const trusted = new Set(input.list("trust"));
  const stranger = plan.newKeys.find(({ keyId }) => !trusted.has(keyId));
  if (stranger !== undefined && input.flag("yes")) {
    throw new DiscoveryError("SIGNATURE_INVALID", `The key ${stranger.keyId} (${stranger.name}) is not trusted here.`, {
      hint: `Compare it with its owner, then give --trust ${stranger.keyId} as well, or run this at a terminal.`,
      facts: { reason: "unknown-key", keyId: stranger.keyId },
    });
  }
  const consent = {
    lines: installationLines(plan),
    question: plan.newKeys.length > 0 ? "Trust the key and install these files?" : "Install these files?",
    isGiven: input.flag("yes"),
    hint:
      ["Run this at a terminal, or give --yes", ...plan.newKeys.map(({ keyId }) => `--trust ${keyId}`)].join(" ") + ".",
  };
  return await isAgreed(consent, context);
}

/** On record before it counts. */
async function trust({ newKeys, files, folder }: InstallPlan, origin: string, desk: FileDesk): Promise<void> {
  const { books } = desk.stages;
  const { id: by, surface } = localActor("cli");
  const changed = files.filter(({ kind }) => kind !== "same").length;
  if (changed > 0) {
    await books.note({ action: "install_tool_files", subject: `${changed} of ${origin} into ${folder}`, by, surface });
  }
  for (const { keyId, publicKey, name } of newKeys) {
    await books.note({ action: "trust_key", subject: keyId, by, surface });
    await desk.keys.trust({ keyId, publicKey, name });
  }
}

/** The files are there; that is not to say that they are used. */
async function warnOfUnused({ folder, files }: InstallPlan, context: Context, desk: FileDesk): Promise<void> {
  const paths = files.map(({ file }) => pathOf(folder, file.toolId));
  const [first] = paths;
  if (first !== undefined && !isLookedInto(first, desk)) {
    context.warn(`${folder} is not among the folders of toolFiles.folders: the files are there and not used.`);
    return;
  }
  const { refused } = await desk.read();
  for (const { path, error } of refused) {
    if (paths.includes(path)) context.warn(`${error.message} ${error.hint ?? ""}`.trim());
  }
}
