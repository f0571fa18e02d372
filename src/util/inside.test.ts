import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isInside, isProjectFile, realPath } from "./inside.js";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "inside-")));
  for (const folder of ["home", "clone"]) mkdirSync(join(root, folder));
  for (const file of ["home/.env", "clone/.env"]) writeFileSync(join(root, file), "");
  symlinkSync(join(root, "home/.env"), join(root, "clone/link.env"));
  symlinkSync(join(root, "clone/.env"), join(root, "home/link.env"));
  symlinkSync(join(root, "clone"), join(root, "alias"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it.each([
  ["/a", "/a/b", true],
  ["/a", "/a/..b", true],
  ["/a", "/a", false],
  ["/a", "/ab", false],
  ["/a", "/a/../b", false],
])("the folder %s contains %s: %s", (folder, path, expected) => {
  expect(isInside(folder, path)).toBe(expected);
});

it.each([
  ["clone", "home", "clone/.env", true],
  ["clone", "home", "clone/not/there", true],
  ["clone", "home", "alias/.env", true],
  ["alias", "home", "clone/.env", true],
  ["clone", "home", "clone/link.env", true],
  ["clone", "home", "home/link.env", true],
  ["clone", "home", "home/.env", false],
  ["home", "home", "home/.env", false],
  [".", "home", "home/.env", false],
  [".", "home", "clone/link.env", true],
  [".", "home", "home/link.env", true],
])("in %s with the home %s, %s is a project file: %s", (cwd, home, file, expected) => {
  const at = (path: string): string => join(root, path);
  expect(isProjectFile(at(file), { cwd: at(cwd), home: at(home) })).toBe(expected);
});

it("resolves the links in the parent folders of a path that does not exist", () => {
  expect(realPath(join(root, "alias/a/b"))).toBe(join(root, "clone/a/b"));
});
