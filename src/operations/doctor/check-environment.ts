import { rm } from "node:fs/promises";
import { join } from "node:path";
import { versions } from "node:process";
import { auditFiles } from "../../audit/files.js";
import { describeUntrusted } from "../../config/load.js";
import type { DiscoveryEngine } from "../../engine.js";
import { importNotes, untrustedFiles } from "../../gateway/notices.js";
import { describeProblem } from "../../util/document/problem.js";
import { ensurePrivateFolder, writePrivateFile } from "../../util/private-files.js";
import { type EnvironmentCheck, checkKeys, checkStore } from "./check-store.js";

const MIN_NODE = 20;

/** Checks Node.js, the configuration and its sources, the state folder, the database and its keys. */
export async function checkEnvironment(engine: DiscoveryEngine): Promise<EnvironmentCheck[]> {
  const { runtime, loaded, configuredServers, persistence } = await engine.stages();
  const isCurrent = Number.parseInt(versions.node, 10) >= MIN_NODE;
  const needs = isCurrent ? "" : `; version ${MIN_NODE} or later is required`;
  const notices = [
    ...untrustedFiles(loaded, configuredServers).map(describeUntrusted),
    ...loaded.notices,
    ...configuredServers.notices,
  ];
  return [
    { name: "node", status: isCurrent ? "ok" : "failed", detail: `${versions.node}${needs}` },
    { name: "configuration", status: "ok", detail: loaded.file ?? importNotes(loaded, configuredServers)[0] ?? "none" },
    ...notices.map((detail): EnvironmentCheck => ({ name: "configuration", status: "notice", detail })),
    ...configuredServers.problems.map(
      (problem): EnvironmentCheck => ({ name: "source", status: "failed", detail: describeProblem(problem) }),
    ),
    await checkState(runtime.stateFolder),
    checkStore(persistence.file),
    ...(await checkKeys(auditFiles(runtime.stateFolder, persistence.file))),
  ];
}

async function checkState(folder: string): Promise<EnvironmentCheck> {
  const trial = join(folder, ".doctor");
  try {
    await ensurePrivateFolder(folder);
    await writePrivateFile(trial, "");
    await rm(trial, { force: true });
    return { name: "state folder", status: "ok", detail: folder };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
    const detail = `${folder} cannot be written (${code}); correct its permissions or set ANYGPT_HOME to another folder`;
    return { name: "state folder", status: "failed", detail };
  }
}
