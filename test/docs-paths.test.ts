import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PAGES = join(ROOT, "docs/explanation");

/** The folder that short file names of a page are relative to. */
const BASES: Record<string, string> = { "search.md": "src/search" };
const FOLDERS = /^(src|test|bench|scripts|docs|conformance|model|packaging|train|bin)\//;

function pathsOf(page: string): string[] {
  const text = readFileSync(join(PAGES, page), "utf8").replaceAll(/```.*?```/gs, "");
  const names = [...text.matchAll(/`([\w./*-]+)`/g)].map((match) => match[1] ?? "");
  const base = BASES[page];
  const short = base === undefined ? [] : names.filter((name) => !FOLDERS.test(name) && name.endsWith(".ts"));
  return [...names.filter((name) => FOLDERS.test(name)), ...short.map((name) => join(base ?? "", name))];
}

/** For a pattern, the folder before the first `*` must exist. */
function isThere(path: string): boolean {
  const star = path.indexOf("*");
  return existsSync(join(ROOT, star === -1 ? path : dirname(`${path.slice(0, star)}x`)));
}

it.each(readdirSync(PAGES).filter((name) => name.endsWith(".md")))("%s names only files that exist", (page) => {
  expect(pathsOf(page).filter((path) => !isThere(path))).toEqual([]);
});

it("finds the paths of a page", () => {
  expect(pathsOf("architecture.md")).toContain("src/executor/call-guards.ts");
  expect(pathsOf("search.md")).toContain("src/search/relevance.ts");
});
