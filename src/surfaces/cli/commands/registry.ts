import { ERRORS } from "../../../errors.js";
import { compareRegistry, writeRegistry } from "../../../operations/registry/registry.js";
import { describeFinding, type Finding } from "../../../registry/check-registry.js";
import { BAD, blocks, count, GOOD, line, type Line, WARNING } from "../../../terminal/lines.js";
import { openWholeCatalog, engineCommand } from "../session.js";

export const exportRegistry = engineCommand(async (engine, input, context) => {
  await openWholeCatalog(engine, context);
  const request = { file: input.text("file"), isForced: input.flag("force") };
  const { file, operations, unknown } = await writeRegistry(engine, request);
  context.reply({ file, operation_count: operations, unknown }, () => [
    line(0, GOOD, ` ${count(operations, "operation")} written to ${file}.`),
  ]);
  if (unknown.length > 0) {
    context.warn(
      `Servers not exported, because their tools are not known: ${unknown.join(", ")}. Run \`anygpt mcp doctor\` to see why.`,
    );
  }
});

export const checkExported = engineCommand(async (engine, input, context) => {
  await openWholeCatalog(engine, context);
  const { file, operations, findings, added, unknown } = await compareRegistry(engine, input.text("file"));
  context.reply({ file, findings, added, unknown }, () => checkLines(file, operations, findings));
  context.note([...addedLines(added), ...unknownLines(unknown)]);
  return findings.length === 0 ? 0 : ERRORS.CONFIGURATION_ERROR.exit;
});

function checkLines(file: string, listed: number, findings: readonly Finding[]): Line[] {
  if (findings.length === 0)
    return [line(0, GOOD, ` ${file}: all ${count(listed, "operation")} match the live catalog.`)];
  return blocks([
    [`${file} differs from the live catalog:`],
    findings.map((finding) => line(0, BAD, ` ${describeFinding(finding)}`)),
    [
      "If gateway.registry is this file, gateway.intent is disabled until they match. Update the file with `anygpt mcp registry export`.",
    ],
  ]);
}

const MOST_NAMED = 10;

function addedLines(added: readonly string[]): Line[] {
  if (added.length === 0) return [];
  const more = added.length > MOST_NAMED ? " …" : "";
  const names = `${added.slice(0, MOST_NAMED).join(", ")}${more}`;
  return [line(0, WARNING, ` ${count(added.length, "operation")} missing from the file: ${names}`)];
}

function unknownLines(unknown: readonly string[]): Line[] {
  if (unknown.length === 0) return [];
  return [line(0, WARNING, ` Servers not checked, because their tools are not known: ${unknown.join(", ")}.`)];
}
