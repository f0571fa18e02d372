import { describe, expect, it } from "vitest";
import type { Change } from "./change.js";
import { addKey, changeMembers, type ConfigContent, type ConfigView, editConfig, setMemberKey } from "./edit-config.js";

const NEW = { name: "new", entry: { command: "npx", args: ["-y", "new"] } };

async function edit(
  text: string,
  toChanges: (view: ConfigView) => readonly Change[],
  parts: Partial<ConfigContent> = {},
): Promise<string> {
  const content = { format: "yaml", isShared: false, ...parts, bytes: Buffer.from(text) } as const;
  const result = await editConfig(content, toChanges);
  return result.kind === "edited" ? Buffer.from(result.bytes).toString("utf8") : result.reason;
}

const add = (view: ConfigView) => [changeMembers(view, "servers", { add: [NEW] })];
const remove = (name: string) => (view: ConfigView) => [changeMembers(view, "servers", { remove: [name] })];
const replace = (name: string) => (view: ConfigView) => [
  changeMembers(view, "servers", { remove: [name], add: [{ ...NEW, name }] }),
];
const set =
  (name: string, value: boolean | undefined) =>
  (view: ConfigView): Change[] =>
    setMemberKey(view, "servers", { name, key: "enabled", value });

const YAML = `# My servers. Keep this comment.
defaults: &env   # not ours, but an anchor
  KEEP: "yes"
servers:
  # GitHub, for work
  github:
    command: npx            # a comment at the end
    args: [ "-y", gh ]
    env: *env
  "files":
    command: "npx"

    enabled: false # broken upstream
  tracker: { url: "https://t.example/mcp", enabled: true }

# rules
toolRules:
  - pattern: ['*delete*']
    enabled: false
`;

describe("YAML with comments, anchors and braces", () => {
  it("adds a server after the last", async () => {
    expect(await edit(YAML, add)).toBe(
      YAML.replace(
        "enabled: true }\n",
        "enabled: true }\n  new:\n    command: npx\n    args:\n      - -y\n      - new\n",
      ),
    );
  });

  it("removes the comment directly above a removed entry, and keeps the one above a replaced entry", async () => {
    const removed = await edit(YAML, remove("github"));
    expect(removed).toContain('servers:\n  "files":\n');
    expect(await edit(YAML, replace("github"))).toContain(
      "  # GitHub, for work\n  github:\n    command: npx\n    args:\n",
    );
    const apart = "servers:\n  # all of them\n\n  # one\n  # two\n  a: {command: a}\n  b: {command: b}\n";
    expect(await edit(apart, remove("a"))).toBe("servers:\n  # all of them\n\n  b: {command: b}\n");
    const json = '{\n  "servers": {\n    // kept: [\n\n    // one\n    /* two */\n    "a": {},\n    "b": {}\n  }\n}\n';
    expect(await edit(json, remove("a"), { format: "json" })).toBe(
      '{\n  "servers": {\n    // kept: [\n\n    "b": {}\n  }\n}\n',
    );
  });

  it("removes a server with its lines", async () => {
    expect(await edit(YAML, remove("files"))).toBe(
      YAML.replace(`  "files":\n    command: "npx"\n\n    enabled: false # broken upstream\n`, ""),
    );
  });

  it("replaces a server at its position", async () => {
    expect(await edit(YAML, replace("github"))).toBe(
      YAML.replace(
        `  github:\n    command: npx            # a comment at the end\n    args: [ "-y", gh ]\n    env: *env\n`,
        "  github:\n    command: npx\n    args:\n      - -y\n      - new\n",
      ),
    );
  });

  it("disables a server whose entry has an alias", async () => {
    expect(await edit(YAML, set("github", false))).toBe(
      YAML.replace("    env: *env\n", "    env: *env\n    enabled: false\n"),
    );
  });

  it("enables a server by removing the key", async () => {
    expect(await edit(YAML, set("files", undefined))).toBe(YAML.replace("    enabled: false # broken upstream\n", ""));
  });

  it("changes a value in a flow-style map", async () => {
    expect(await edit(YAML, set("tracker", false))).toBe(YAML.replace("enabled: true }", "enabled: false }"));
  });

  it("removes the last server and leaves an empty map", async () => {
    expect(await edit("servers:\n  a:\n    command: a\nx: 1\n", remove("a"))).toBe("servers: {}\nx: 1\n");
  });

  it.each([
    [
      "the first of two",
      "servers: { a: { command: a }, b: { command: b } }\n",
      "a",
      "servers: { b: { command: b } }\n",
    ],
    ["the last of two", "servers: { a: { command: a }, b: { command: b } }\n", "b", "servers: { a: { command: a } }\n"],
    ["the only one", "servers: { a: { command: a } }\n", "a", "servers: {  }\n"],
  ])("removes a server from a flow-style map: %s", async (_name, text, name, after) => {
    expect(await edit(text, remove(name))).toBe(after);
  });

  it("adds to a flow-style map on several lines", async () => {
    expect(await edit("servers: {\n  a: { command: a },\n}\n", add)).toBe(
      'servers: {\n  a: { command: a },\n  new: { "command": "npx", "args": ["-y", "new"] }\n}\n',
    );
  });

  it("disables a server in a list whose first key follows the dash", async () => {
    expect(await edit("servers:\n  - name: a\n    command: a\n  - name: b\n    command: b\n", set("a", false))).toBe(
      "servers:\n  - name: a\n    command: a\n    enabled: false\n  - name: b\n    command: b\n",
    );
  });

  it("rejects removing an entry with an anchor that others use", async () => {
    expect(await edit("servers:\n  a: &a\n    command: a\n  b: *a\n", remove("a"))).toMatch(/safely/);
  });

  it("rejects changing an entry that another entry is an alias of", async () => {
    expect(await edit("servers:\n  a: &a\n    command: a\n  b: *a\n", set("a", false))).toMatch(/safely/);
  });

  it("adds a key to the section, and to a file with only comments", async () => {
    expect(await edit("cache:\n  ttl: 5\n# end\n", (view) => [addKey(view, "sources", "all")])).toBe(
      "cache:\n  ttl: 5\nsources: all\n# end\n",
    );
    expect(await edit("# nothing yet\n", (view) => [addKey(view, "sources", "all")])).toBe(
      "# nothing yet\nsources: all\n",
    );
  });

  it("adds a key to the section discovery of a shared file", async () => {
    expect(
      await edit("providers: {}\n", (view) => [addKey(view, "sources", "all"), ...add({ ...view })], {
        isShared: true,
      }),
    ).toBe(
      "providers: {}\ndiscovery:\n  sources: all\n  servers:\n    new:\n      command: npx\n      args:\n        - -y\n        - new\n",
    );
  });

  it("keeps Windows line breaks", async () => {
    expect(await edit("servers:\r\n  a:\r\n    command: a\r\n", set("a", false))).toBe(
      "servers:\r\n  a:\r\n    command: a\r\n    enabled: false\r\n",
    );
  });
});

const JSONC = `{
  // My servers
  "mcpServers": {
    "github": { "command": "npx", "args": ["-y", "gh"] }, // work
    /* files */
    "files": {
      "command": "npx",
      "enabled": false, // for now
    },
  },
  "cache": { "ttl": 5 },
}
`;

describe("JSON with comments and trailing commas, under the name mcpServers", () => {
  const json = (toChanges: (view: ConfigView) => readonly Change[]) => edit(JSONC, toChanges, { format: "json" });

  it("adds a server", async () => {
    expect(await json(add)).toBe(
      JSONC.replace(
        "    },\n  },\n",
        '    },\n    "new": {\n      "command": "npx",\n      "args": ["-y", "new"]\n    },\n  },\n',
      ),
    );
  });

  it("removes a server", async () => {
    expect(await json(remove("github"))).toBe(
      JSONC.replace(`    "github": { "command": "npx", "args": ["-y", "gh"] }, // work\n`, "    // work\n"),
    );
  });

  it("disables and enables a server", async () => {
    expect(await json(set("GITHUB", false))).toBe(
      JSONC.replace('"args": ["-y", "gh"] }', '"args": ["-y", "gh"], "enabled": false }'),
    );
    expect(await json(set("files", undefined))).toBe(
      JSONC.replace('      "enabled": false, // for now\n', "      // for now\n"),
    );
  });
});
