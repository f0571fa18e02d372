// Exports the operations of the catalog to a registry file, and compares such a file with the catalog.
import type { DiscoveryEngine } from "../../engine.js";
import { DiscoveryError } from "../../errors.js";
import type { Stages } from "../../gateway/stages.js";
import { readRegistry, toLive } from "../../metatools/gateway/registry-comparison.js";
import { createOperations, listOperations } from "../../metatools/gateway/operations.js";
import { isJsonObject } from "../../model/json.js";
import { checkRegistry, type Finding } from "../../registry/check-registry.js";
import { toRegistry, toRegistryText } from "../../registry/registry.js";
import { absolutePath } from "../../util/home-path.js";
import { writeOutput } from "../files/write-output.js";
import { openCatalog } from "../open-catalog.js";

const DEFAULT_FILE = "operations.json";

/** The registry file that was written. */
export interface ExportedRegistry {
  readonly file: string;
  readonly operations: number;
  /** Names of adapters and servers whose tools are not known, so that the file does not contain their operations. */
  readonly unknown: readonly string[];
}

/** Where `writeRegistry` writes the registry. */
export interface WriteRegistryRequest {
  /** The path of the file. Default: `gateway.registry` of the configuration, else `operations.json`. */
  readonly file?: string | undefined;
  /** Replace the file even if it is not a registry. */
  readonly isForced?: boolean;
}

/**
 * Writes all operations of the catalog to a file. Await `engine.ready()` first to include servers that were never
 * connected before.
 */
export async function writeRegistry(
  engine: DiscoveryEngine,
  request: WriteRegistryRequest = {},
): Promise<ExportedRegistry> {
  const stages = await openCatalog(engine);
  const file = fileOf(stages, request.file);
  if (request.isForced !== true) await assertReplaceable(file);
  const all = listOperations(stages.snapshot().servers.values(), createOperations(stages.policy));
  const text = toRegistryText(toRegistry(all, stages.runtime.now()));
  await writeOutput(file, { isForced: true }, (handle) => handle.writeFile(text));
  return { file, operations: all.length, unknown: unknownServers(stages) };
}

/** The result of comparing a registry file with the catalog. */
export interface CheckedRegistry {
  readonly file: string;
  /** The number of operations in the file. */
  readonly operations: number;
  readonly findings: readonly Finding[];
  /** Operations of the catalog that are not in the file. */
  readonly added: readonly string[];
  readonly unknown: readonly string[];
}

/** Compares an exported registry with the catalog. Await `engine.ready()` first, as for `writeRegistry`. */
export async function compareRegistry(engine: DiscoveryEngine, named?: string): Promise<CheckedRegistry> {
  const stages = await openCatalog(engine);
  const file = fileOf(stages, named);
  const read = await readRegistry(file);
  if (read.kind === "absent") {
    throw new DiscoveryError("INVALID_REQUEST", `The registry file ${file} does not exist.`, {
      hint: [
        { action: "run-command", command: "anygpt mcp registry export", purpose: "create it" },
        "Or name another file with --file.",
      ],
    });
  }
  const operations = createOperations(stages.policy);
  const document = read.kind === "document" ? read.document : undefined;
  const findings: Finding[] =
    read.kind === "unreadable"
      ? [{ check: "readable", reason: read.reason }]
      : checkRegistry(document, toLive(stages.snapshot(), operations));
  const live = listOperations(stages.snapshot().servers.values(), operations).map(([id]) => id);
  const listed = isJsonObject(document) && isJsonObject(document["operations"]) ? document["operations"] : {};
  const added = live.filter((id) => !Object.hasOwn(listed, id)).sort();
  return { file, operations: Object.keys(listed).length, findings, added, unknown: unknownServers(stages) };
}

function fileOf({ config, runtime }: Stages, named: string | undefined): string {
  const file = named ?? config.gateway.registry ?? DEFAULT_FILE;
  return absolutePath(file, { home: runtime.home, baseDir: runtime.cwd });
}

function unknownServers({ snapshot }: Stages): string[] {
  return [...snapshot().servers.values()]
    .filter(({ record, tools }) => record === undefined && tools.length === 0)
    .map(({ definition }) => definition.name);
}

/** Throws if the file exists and is not a generated registry: the user may have written it. */
async function assertReplaceable(file: string): Promise<void> {
  const known = await readRegistry(file);
  if (known.kind === "absent") return;
  const isRegistry = known.kind === "document" && isJsonObject(known.document) && "operations" in known.document;
  if (isRegistry) return;
  throw new DiscoveryError("INVALID_REQUEST", `${file} exists and is not a registry.`, {
    hint: "Name another file with --file, or replace it with --force.",
  });
}
