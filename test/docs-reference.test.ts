import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as api from "../src/index.js";
import { commandOptions } from "../src/surfaces/cli/program.js";
import { ANYGPT, COMMON_OPTIONS } from "../src/surfaces/cli/table.js";
import { TOPICS } from "../src/surfaces/cli/topics.js";

interface Generators {
  commandsMarkdown(table: object): string;
  readDeclarations(configSchema: object): ReadonlyMap<string, string>;
  libraryMarkdown(files: ReadonlyMap<string, string>): string;
}

const read = (name: string): string => readFileSync(new URL(`../docs/reference/${name}.md`, import.meta.url), "utf8");
const load = async (name: string): Promise<Generators> =>
  (await import(new URL(`../scripts/docs/${name}.mjs`, import.meta.url).href)) as Generators;

/** The compiler takes 3 s on an idle machine. */
const COMPILER_MS = 120_000;

describe("docs/reference/commands.md", () => {
  it("equals the output of the generator for the command table", async () => {
    const { commandsMarkdown } = await load("commands");
    const table = { root: ANYGPT, topics: TOPICS, commonOptions: COMMON_OPTIONS, commandOptions };
    expect(read("commands")).toBe(commandsMarkdown(table));
  });
});

describe("docs/reference/library.md", () => {
  it(
    "equals the output of the generator for the declarations",
    async () => {
      const { libraryMarkdown, readDeclarations } = await load("library");
      expect(read("library")).toBe(libraryMarkdown(readDeclarations(api.configJsonSchema())));
    },
    COMPILER_MS,
  );

  it("describes every type and every method of the engine", () => {
    const page = read("library");
    expect([...page.matchAll(/^### (\w+)\n\n```/gm)].map(([, name]) => name)).toEqual([]);
    const [, members = ""] = /^class DiscoveryEngine \{\n([\s\S]*?)^\}/m.exec(page) ?? [];
    const lines = members.trimEnd().split("\n");
    const methods = lines.filter((line) => /^ {4}\w+\(/.test(line));
    expect(methods.length).toBeGreaterThan(15);
    expect(methods.filter((line) => !lines[lines.indexOf(line) - 1]?.endsWith("*/"))).toEqual([]);
  });

  it("names everything that the package exports", () => {
    const index = readFileSync(new URL("../src/index.ts", import.meta.url), "utf8");
    const types = [...index.matchAll(/(?:type |, |\{ )(\w+)(?= ?[,}]|\n)/g)].map(([, name]) => name ?? "");
    const names = [...new Set([...Object.keys(api), ...types])];
    expect(names.length).toBeGreaterThan(25);
    const page = read("library");
    expect(names.filter((name) => !page.includes(`### ${name}\n`))).toEqual([]);
  });
});
