import type { DiscoveryReport } from "../../discover/discover.js";
import type { FileOutcome } from "../../discover/write-files.js";
import type { JsonObject } from "../../model/json.js";
import { summarize } from "../../search/summary.js";

export function toReportJson({
  target,
  folder,
  files,
  needs,
  dropped,
  truncated,
  key,
  isDrift,
}: DiscoveryReport): JsonObject {
  return {
    server: target.name,
    folder,
    drift: isDrift,
    tools: files.map(toFileJson),
    tools_created: files.filter(({ kind, done }) => kind === "new" && done === "written").map(({ toolId }) => toolId),
    env_requirements: needs.map(({ name, description, header, required, isSet, page }) => ({
      name,
      description,
      ...(header === undefined ? {} : { header }),
      required,
      set: isSet,
      ...(page === undefined ? {} : { page }),
    })),
    ...(dropped.length === 0 ? {} : { left_out: dropped }),
    ...(truncated ? { truncated } : {}),
    ...(key === undefined ? {} : { key: { key_id: key.keyId, name: key.name, created: key.isNew } }),
  };
}

function toFileJson({
  toolId,
  tool,
  kind,
  version,
  previousVersion,
  done,
  differences,
  ...rest
}: FileOutcome): JsonObject {
  const { description = "", failure, existing } = rest;
  return {
    tool_id: toolId,
    name: tool,
    description: summarize(description, 200),
    status: kind,
    done,
    ...(existing?.reason === undefined || done === "written" ? {} : { refused: existing.reason }),
    version,
    ...(previousVersion === undefined || previousVersion === version ? {} : { previous_version: previousVersion }),
    ...(differences.length === 0 ? {} : { differences }),
    ...(failure === undefined ? {} : { error: failure.message }),
  };
}
