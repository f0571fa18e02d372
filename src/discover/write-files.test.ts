import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { NOW, sampleFile } from "../../test/support/signed-files.js";
import { openKeys } from "../toolfiles/keys/open-keys.js";
import type { FilePlan } from "./plan-files.js";
import { writeFiles } from "./write-files.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "write-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FILE = sampleFile();
const PLAN: FilePlan = {
  toolId: FILE.toolId,
  tool: FILE.tool.name,
  kind: "new",
  version: "1.0.0",
  differences: [],
  isDrift: true,
  write: FILE,
};
const write = (...plans: FilePlan[]) => writeNoting(() => undefined, ...plans);
const writeNoting = (onSubject: (subject: string) => void, ...plans: FilePlan[]) =>
  writeFiles(plans, {
    folder: join(folder, "tools"),
    keys: openKeys(join(folder, "keys"), () => NOW),
    keyName: "ann@here",
    versions: { list: () => Promise.resolve([]), note: (versions) => Promise.resolve(versions) },
    note: async ({ action, subject }) => {
      await Promise.resolve();
      onSubject(`${action} ${subject}`);
    },
    now: NOW,
  });

it("records a file before it is written", async () => {
  const path = join(folder, "tools", `${FILE.toolId}.yaml`);
  const seen: [string, boolean][] = [];
  await writeNoting((subject) => void seen.push([subject, existsSync(path)]), PLAN);
  expect(seen).toEqual([[`sign_tool_file ${path} 1.0.0`, false]]);
});

it("does not sign a file that cannot be recorded", async () => {
  const { outcomes } = await writeNoting(() => {
    throw new Error("no disk");
  }, PLAN);
  expect(outcomes).toMatchObject([{ done: "failed" }]);
  expect(existsSync(join(folder, "tools", `${FILE.toolId}.yaml`))).toBe(false);
});

it("creates one key, with the first file that needs it", async () => {
  const { write: _write, ...look } = PLAN;
  expect(await write(look)).not.toHaveProperty("key");
  expect(await write(PLAN)).toMatchObject({ key: { name: "ann@here", isNew: true }, outcomes: [{ done: "written" }] });
  const again = { ...PLAN, toolId: "lib_other", write: { ...FILE, toolId: "lib_other" } };
  expect(await write(again)).toMatchObject({ key: { isNew: false } });
});

it.each<[string, Partial<FilePlan>]>([
  ["a new file", {}],
  ["an existing file", { existing: { toolId: FILE.toolId, path: "", trust: "signed", bytes: Buffer.from("old") } }],
  [
    "a file to remove",
    { isRemoved: true, existing: { toolId: FILE.toolId, path: "", trust: "signed", bytes: Buffer.from("old") } },
  ],
])("keeps a file that was changed in the meantime: %s", async (_case, more) => {
  const path = join(folder, "tools", `${FILE.toolId}.yaml`);
  mkdirSync(join(folder, "tools"));
  writeFileSync(path, "theirs");
  const { outcomes } = await write({ ...PLAN, ...more });
  expect(outcomes).toMatchObject([
    { done: "failed", failure: { message: expect.stringContaining("changed during the discovery") } },
  ]);
  expect(readFileSync(path, "utf8")).toBe("theirs");
});

it("continues after a file that cannot be written", async () => {
  mkdirSync(join(folder, "tools/lib_find.yaml/x"), { recursive: true });
  const other = { ...PLAN, toolId: "lib_other", write: { ...FILE, toolId: "lib_other" } };
  const { outcomes } = await write(PLAN, other);
  expect(outcomes.map(({ done }) => done)).toEqual(["failed", "written"]);
});
