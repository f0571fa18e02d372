import { dirname } from "node:path";
import { isJsonObject } from "../model/json.js";
import { parseText } from "../util/document/formats.js";
import { pathText, type Path, type Problem } from "../util/document/problem.js";
import { checkSchema } from "../util/document/schema.js";
import type { Document } from "../util/document/tree.js";
import type { ServerCandidate } from "./candidate.js";
import { compileServer, envFileOf } from "./compile.js";
import { readWholeFile, type FileRead } from "./files.js";
import { keyedServerEntry, serverName, toNamedEntries, type ServerEntry } from "./options.js";

export type CustomContent =
  | { readonly kind: "missing" }
  | { readonly kind: "broken"; readonly problems: readonly Problem[] }
  | {
      readonly kind: "read";
      readonly file: FileRead;
      readonly servers: readonly ServerCandidate[];
      readonly problems: readonly Problem[];
    };

type EntryResult =
  | { readonly kind: "server"; readonly entry: ServerEntry }
  | { readonly kind: "invalid"; readonly violations: readonly { readonly path: Path; readonly reason: string }[] };

/** Reads a YAML file with `servers`. An invalid entry is skipped and reported; the others are used. */
export async function readCustomFile(file: string, home: string): Promise<CustomContent> {
  const content = await readWholeFile(file);
  if (content.kind === "missing") return { kind: "missing" };
  if (content.kind === "unreadable") return broken([{ file, path: "", reason: content.reason }]);
  const parsed = await parseText(content.text, "yaml");
  if (parsed.kind === "faults") {
    return broken(
      parsed.faults.map(({ path, position, reason }) => ({ file, path: pathText(path), ...position, reason })),
    );
  }
  const { document } = parsed;
  const fault = sectionFault(document.value);
  if (fault !== undefined) return broken([problemAt(file, document, fault)]);
  const section = (document.value as { servers: Record<string, unknown> }).servers;

  const servers: ServerCandidate[] = [];
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(section)) {
    const result = checkEntry(key, value);
    if (result.kind === "invalid") {
      for (const { path, reason } of result.violations) {
        problems.push(problemAt(file, document, { path: ["servers", key, ...path], reason }));
      }
    } else if (result.entry.enabled) {
      const paths = { home, baseDir: dirname(file), origin: file };
      servers.push({ definition: compileServer(result.entry, paths), ...envFileOf(result.entry, paths) });
    }
  }
  return { kind: "read", file: content.file, servers, problems };
}

function sectionFault(value: unknown): { path: Path; reason: string } | undefined {
  if (!isJsonObject(value)) return { path: [], reason: 'must be a map with the key "servers"' };
  const unknown = Object.keys(value).find((key) => key !== "servers");
  if (unknown !== undefined) return { path: [unknown], reason: "is not a known key; the only allowed key is servers" };
  const { servers } = value;
  return isJsonObject(servers) ? undefined : { path: ["servers"], reason: "must be a map of servers by name" };
}

function checkEntry(key: string, value: unknown): EntryResult {
  const name = checkSchema(serverName, key);
  if (name.kind === "violations") return { kind: "invalid", violations: name.violations };
  const checked = checkSchema(keyedServerEntry, value);
  if (checked.kind === "violations") return { kind: "invalid", violations: checked.violations };
  const [entry] = toNamedEntries({ [key]: checked.value });
  return entry === undefined ? { kind: "invalid", violations: [] } : { kind: "server", entry };
}

function problemAt(file: string, document: Document, fault: { path: Path; reason: string }): Problem {
  return { file, path: pathText(fault.path), ...document.positionOf(fault.path), reason: fault.reason };
}

function broken(problems: readonly Problem[]): CustomContent {
  return { kind: "broken", problems };
}
