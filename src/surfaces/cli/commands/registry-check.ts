import { DiscoveryError, ERRORS } from "../../../errors.js";
import { readRegistry, toLive } from "../../../metatools/gateway/contract.js";
import { listOperations } from "../../../metatools/gateway/operations.js";
import { isJsonObject } from "../../../model/json.js";
import { checkRegistry, describeFinding, type Finding } from "../../../registry/check-registry.js";
import type { Handler } from "../command.js";
import { BAD, blocks, count, GOOD, line, type Line, WARNING } from "../lines.js";
import { withRegistry } from "../registry-desk.js";

export const checkExported: Handler = (input, context) =>
  withRegistry(input, context, async ({ stages, operations, file, unknown }) => {
    const read = await readRegistry(file);
    if (read.kind === "absent") throw noSuchFile(file);
    const document = read.kind === "document" ? read.document : undefined;
    const findings: Finding[] =
      read.kind === "unreadable"
        ? [{ check: "readable", reason: read.reason }]
        : checkRegistry(document, toLive(stages.snapshot(), operations));
    const live = listOperations(stages.snapshot().servers.values(), operations).map(([id]) => id);
    const listed = isJsonObject(document) && isJsonObject(document["operations"]) ? document["operations"] : {};
    const added = live.filter((id) => !Object.hasOwn(listed, id)).sort();
    if (context.isJson) context.json({ file, findings, added, unknown });
    else context.show(checkLines(file, Object.keys(listed).length, findings));
    context.note([...addedLines(added), ...unknownLines(unknown)]);
    return findings.length === 0 ? 0 : ERRORS.CONFIGURATION_ERROR.exit;
  });

function checkLines(file: string, listed: number, findings: readonly Finding[]): Line[] {
  if (findings.length === 0)
    return [line(0, GOOD, ` ${file}: ${count(listed, "operation")}, all as in the live catalog.`)];
  return blocks([
    [line(0, `${file} does not agree with the live catalog:`)],
    findings.map((finding) => line(0, BAD, ` ${describeFinding(finding)}`)),
    [line(0, "While it is named in gateway.registry, gateway.intent is off. `anygpt mcp registry export` renews it.")],
  ]);
}

const MOST_NAMED = 10;

function addedLines(added: readonly string[]): Line[] {
  if (added.length === 0) return [];
  const more = added.length > MOST_NAMED ? " …" : "";
  const names = `${added.slice(0, MOST_NAMED).join(", ")}${more}`;
  return [line(0, WARNING, ` ${count(added.length, "operation")} not in it yet: ${names}`)];
}

function unknownLines(unknown: readonly string[]): Line[] {
  if (unknown.length === 0) return [];
  return [line(0, WARNING, ` Not checked, because their tools are not known: ${unknown.join(", ")}.`)];
}

function noSuchFile(file: string): DiscoveryError {
  return new DiscoveryError("INVALID_REQUEST", `There is no ${file}.`, {
    hint: "Write it with `anygpt mcp registry export`, or name another with --file.",
  });
}
