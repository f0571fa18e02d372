import type { ShownRecord } from "./records.js";

const SIGNED = "sign_tool_file";

/** Combines consecutive signatures by the same actor into one record, because `discover` signs one file per tool. */
export function combineSignatures(records: readonly ShownRecord[]): ShownRecord[] {
  const isSigned = ({ kind, action }: ShownRecord): boolean => kind === "note" && action === SIGNED;
  const rows: { record: ShownRecord; files: number }[] = [];
  for (const record of records) {
    const last = rows.at(-1);
    if (last !== undefined && isSigned(last.record) && isSigned(record) && last.record["by"] === record["by"]) {
      last.files += 1;
    } else rows.push({ record, files: 1 });
  }
  return rows.map(({ record, files }) =>
    files === 1 ? record : { ...record, action: `${SIGNED} (${files} files)`, subject: record["subject"] },
  );
}
