import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { configJsonSchema } from "../src/config/json-schema.js";
import { loadConfig } from "../src/config/load.js";

const document = readFileSync(new URL("../docs/reference/configuration.md", import.meta.url), "utf8");

describe("docs/reference/configuration.md", () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "docs-"))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("equals the output of the generator for the schema", async () => {
    const generator = new URL("../scripts/docs/configuration.mjs", import.meta.url).href;
    const { configurationMarkdown } = (await import(generator)) as {
      configurationMarkdown: (schema: object) => string;
    };
    expect(document).toBe(configurationMarkdown(configJsonSchema()));
  });

  it("has examples that load and are equal in every format", async () => {
    const examples = [...document.matchAll(/```(json|yaml|ts)\n(.*?)```/gs)];
    const configs = await Promise.all(
      examples.map(async ([, extension = "", text = ""]) => {
        const path = join(folder, `example.${extension}`);
        writeFileSync(path, text);
        return (await loadConfig({ cwd: folder, home: folder, anygptHome: folder, env: {}, path })).config;
      }),
    );
    expect(configs).toHaveLength(3);
    expect(configs[0]!.servers.map(({ name }) => name)).toEqual(["files", "tracker"]);
    expect(configs[1]).toEqual(configs[0]);
    expect(configs[2]).toEqual(configs[0]);
  });
});
