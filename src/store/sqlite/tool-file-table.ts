import type { SeenVersion, ToolFileKey, ToolFileVersions } from "../tool-file-versions.js";
import type { Database, SqlRow } from "./driver.js";
import type { StoreTable } from "./operations.js";

const INSERT = `
  INSERT INTO tool_file_versions (folder, tool_id, version, validated_at, rank)
  VALUES (:folder, :toolId, :version, :validatedAt, :rank)
  ON CONFLICT DO UPDATE SET version = excluded.version, validated_at = excluded.validated_at, rank = excluded.rank`;

export function createToolFileTable(database: Database): StoreTable<ToolFileVersions> {
  const find = database.prepare("SELECT * FROM tool_file_versions WHERE folder = :folder AND tool_id = :toolId");
  const list = database.prepare("SELECT * FROM tool_file_versions WHERE folder = :folder ORDER BY tool_id");
  const raise = database.prepare(`${INSERT} WHERE excluded.rank > rank`);
  const replace = database.prepare(INSERT);

  const seen = ({ folder, toolId }: ToolFileKey): SeenVersion | undefined => {
    const row = find.get({ folder, toolId });
    return row && toSeen(row);
  };

  return {
    seen,
    list: (folder) => list.all({ folder }).map(toSeen),
    note: (versions) =>
      versions.map((version) => {
        raise.run(toRow(version));
        return seen(version) ?? version;
      }),
    accept(version) {
      replace.run(toRow(version));
    },
  };
}

function toRow({ folder, toolId, version, validatedAt, rank }: SeenVersion): Record<keyof SeenVersion, string> {
  return { folder, toolId, version, validatedAt, rank };
}

function toSeen(row: SqlRow): SeenVersion {
  return {
    folder: String(row["folder"]),
    toolId: String(row["tool_id"]),
    version: String(row["version"]),
    validatedAt: String(row["validated_at"]),
    rank: String(row["rank"]),
  };
}
