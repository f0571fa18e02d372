import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DiscoveryError } from "../errors.js";
import type { ServerConnection } from "../model/server.js";
import { createVariables, resolveConnection, variablesIn } from "./variables.js";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "variables-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text, { mode: 0o600 });
}

function variables(env: Record<string, string | undefined> = {}) {
  return createVariables({ cwd: join(root, "project"), home: join(root, "home"), env });
}

function failure(run: () => unknown): DiscoveryError {
  try {
    run();
  } catch (error) {
    if (error instanceof DiscoveryError) return error;
  }
  throw new TypeError("Expected a DiscoveryError.");
}

const ENV = { A: "1", B: "two words", EMPTY: "", NESTED: "${A}", _x9: "u" };

describe("resolve", () => {
  it.each([
    ["plain text", "plain text"],
    ["", ""],
    ["${A}", "1"],
    ["x${A}y${B}z", "x1ytwo wordsz"],
    ["${A}${A}", "11"],
    ["${EMPTY}", ""],
    ["${EMPTY:-fallback}", "fallback"],
    ["${NONE:-fallback}", "fallback"],
    ["${NONE:-}", ""],
    ["${A:-fallback}", "1"],
    ["${NONE:-a:b-c $d}", "a:b-c $d"],
    ["${NONE:-${A}}", "1"],
    ["${NONE:-<${NONE2:-${B}}>}", "<two words>"],
    ["${NESTED}", "${A}"],
    ["$${A}", "${A}"],
    ["$$${A}", "$${A}"],
    ["${NONE:-$${A}", "${A"],
    ["${NONE:-$${NONE}}!", "${NONE}!"],
    ["${A:-$${A}}!", "1!"],
    ["$A and $ and {A} and }", "$A and $ and {A} and }"],
    ["Bearer ${_x9}", "Bearer u"],
    ["100% $(whoami) `id`", "100% $(whoami) `id`"],
  ])("turns %j into %j", (text, expected) => {
    expect(variables(ENV).resolve(text)).toBe(expected);
  });

  it.each([
    ["${NONE}", ["NONE"], "The variable NONE is not set."],
    ["${NONE} ${OTHER} ${NONE} ${A}", ["NONE", "OTHER"], "The variables NONE, OTHER are not set."],
    ["${EMPTY:-${NONE}}", ["NONE"], "The variable NONE is not set."],
  ])("names the variables that are not set in %j", (text, names, message) => {
    const error = failure(() => variables(ENV).resolve(text));
    expect(error).toMatchObject({ code: "CONFIGURATION_ERROR", message, facts: { variables: names } });
    expect(error.hint).toContain(".env.local");
  });

  it.each([
    ["${", '"${" is not a valid variable.'],
    ["${}", '"${" is not a valid variable.'],
    ["${A", '"${A" is not a valid variable.'],
    ["${1A}", '"${1A" is not a valid variable.'],
    ["${env:TOKEN}", '"${env:TOKEN" is not a valid variable.'],
    ["${A:-s3cret", '"${A" is not a valid variable.'],
    ["${A?s3cret}", '"${A" is not a valid variable.'],
    ["${A:-".repeat(20) + "}".repeat(20), '"${A" is not a valid variable.'],
  ])("rejects %j without repeating a possible secret", (text, message) => {
    expect(failure(() => variables(ENV).resolve(text)).message).toBe(message);
  });
});

describe("the chain of .env files", () => {
  const CHAIN = ["home/.ai/.env", "project/.ai/.env", "project/.env", "project/.env.local"];

  it.each(CHAIN.map((path, index) => [path, index] as const))(
    "gives %s precedence over those before it",
    (path, index) => {
      for (const file of CHAIN.slice(0, index + 1)) write(file, `KEY=${file}\n`);
      expect(variables().resolve("${KEY}")).toBe(path);
    },
  );

  it("gives the process environment precedence, even for an empty value", () => {
    for (const file of CHAIN) write(file, "KEY=file\n");
    expect(variables({ KEY: "process" }).resolve("${KEY}")).toBe("process");
    expect(variables({ KEY: "" }).resolve("${KEY}")).toBe("");
  });

  it("is read again when a file changes, appears or is removed", () => {
    const { resolve } = variables();
    expect(resolve("${KEY:-none}")).toBe("none");
    write("project/.env", "KEY=1");
    expect(resolve("${KEY:-none}")).toBe("1");
    write("project/.env", "KEY=2");
    utimesSync(join(root, "project/.env"), 1, 1);
    expect(resolve("${KEY:-none}")).toBe("2");
    rmSync(join(root, "project/.env"));
    expect(resolve("${KEY:-none}")).toBe("none");
  });

  it("reports the file of a value", () => {
    write("home/.ai/.env", "A=1\nB=1");
    write("project/.env", "B=2");
    const { originOf, files } = variables({ C: "" });
    expect([originOf("A"), originOf("B"), originOf("C"), originOf("D")]).toEqual([
      { kind: "file", file: join(root, "home/.ai/.env") },
      { kind: "file", file: join(root, "project/.env") },
      { kind: "process" },
      { kind: "none" },
    ]);
    expect(files).toEqual(CHAIN.map((path) => join(root, path)));
  });

  it("skips untrusted files of the project, and names one that would set the variable", () => {
    for (const file of CHAIN) write(file, `KEY=${file}\nONLY_${CHAIN.indexOf(file)}=x\nrubbish\n`);
    const admitted = new Set([join(root, "project/.ai/.env")]);
    const { resolve, originOf, notices } = createVariables({
      cwd: join(root, "project"),
      home: join(root, "home"),
      env: {},
      admits: (file, bytes) => admitted.has(file) && bytes.length > 0,
    });
    expect(resolve("${KEY}")).toBe("project/.ai/.env");
    expect(originOf("ONLY_3")).toEqual({ kind: "untrusted", file: join(root, "project/.env.local") });
    const error = failure(() => resolve("${ONLY_3}"));
    expect(error.hint).toBe(
      `${join(root, "project/.env.local")} is ignored because it is not trusted yet. Review it first. Run \`anygpt mcp config trust\` in a terminal to trust it.`,
    );
    expect(notices()).toHaveLength(2);
    admitted.add(join(root, "project/.env.local"));
    expect(resolve("${KEY}")).toBe("project/.env.local");
  });

  it("ignores a folder with the name of a file", () => {
    mkdirSync(join(root, "project/.env"), { recursive: true });
    expect(variables().resolve("${KEY:-none}")).toBe("none");
    expect(variables().notices()).toEqual([]);
  });

  it.each([
    ["plain", "K=v", "v"],
    ["spaces around", "  K = v  ", "v"],
    ["export", "export K=v", "v"],
    ["double quotes", 'K="a b"', "a b"],
    ["single quotes", "K='a # b'", "a # b"],
    ["back quotes", "K=`a 'b'`", "a 'b'"],
    ["a comment after the value", "K=v # w", "v"],
    ["a hash inside quotes", 'K="v#w"', "v#w"],
    ["a newline escape in double quotes", 'K="a\\nb"', "a\nb"],
    ["several lines in quotes", 'K="a\nJ=b"\nL=c', "a\nJ=b"],
    ["an equals sign in the value", "K=a=b==", "a=b=="],
    ["an empty value", "K=", ""],
    ["CRLF", "J=1\r\nK=v\r\n", "v"],
    ["a byte order mark", "\uFEFFK=v", "v"],
    ["comments and blank lines", "# K=no\n\n  # x\nK=v", "v"],
    ["the last of two", "K=1\nK=2", "2"],
    ["a variable without expanding it", "K=${HOME}", "${HOME}"],
    ["letters beyond ASCII", "K=schön", "schön"],
    ["no line break at the end", "J=1\nK=v", "v"],
    ["a value after an invalid line", "rubbish\nK=v", "v"],
  ])("parses %s", (_, text, value) => {
    write("project/.env", text);
    expect(variables().resolve("${K}")).toBe(value);
  });

  it.each<[string, string | Uint8Array, string[]]>([
    ["a name set twice", "K=1\nK=s3cret\n", [":2 sets K again; the last value is used."]],
    [
      "invalid lines",
      "ok=1\ns3cret rubbish\n=x\n",
      [":2 is not an assignment and was ignored.", ":3 is not an assignment and was ignored."],
    ],
    ["the line after a value of several lines", 'K="a\nb"\nrubbish\n', [":3 is not an assignment and was ignored."]],
    ["bytes that are not UTF-8", Uint8Array.of(0x4b, 0x3d, 0xff, 0xfe, 0xfd), [" is not UTF-8 text and was ignored."]],
    ["UTF-16", Buffer.from("\uFEFFK=v", "utf16le"), [" is not UTF-8 text and was ignored."]],
    ["a huge file", `K=${"x".repeat(1024 * 1024)}`, [" is larger than 1 MiB and was ignored."]],
    ["nothing for a valid file", "K=1\n", []],
  ])("reports %s", (_, content, endings) => {
    write("project/.env", content);
    expect(variables().notices()).toEqual(endings.map((ending) => `${join(root, "project/.env")}${ending}`));
  });

  it.each<[number, string[]]>([
    [0o600, []],
    [0o400, []],
    [0o640, [" can be read or written by other users; run `chmod 600` on it."]],
    [0o644, [" can be read or written by other users; run `chmod 600` on it."]],
    [0o602, [" can be read or written by other users; run `chmod 600` on it."]],
  ])("reports access by other users to the user's own file with mode %o", (mode, endings) => {
    write("home/.ai/.env", "KEY=s3cret\n");
    chmodSync(join(root, "home/.ai/.env"), mode);
    expect(variables().resolve("${KEY}")).toBe("s3cret");
    expect(variables().notices()).toEqual(endings.map((ending) => `${join(root, "home/.ai/.env")}${ending}`));
  });

  it("checks the target of a link, and does not check files of a project", () => {
    write("home/.ai/real", "KEY=1\n");
    chmodSync(join(root, "home/.ai/real"), 0o644);
    symlinkSync("real", join(root, "home/.ai/.env"));
    write("project/.env", "OTHER=1\n");
    chmodSync(join(root, "project/.env"), 0o644);
    expect(variables().notices()).toEqual([
      `${join(root, "home/.ai/.env")} can be read or written by other users; run \`chmod 600\` on it.`,
    ]);
  });

  it("reports the user's own file if another user owns it (tested as root only)", () => {
    write("home/.ai/.env", "KEY=1\n");
    const file = join(root, "home/.ai/.env");
    chmodSync(file, 0o600);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(file, 12_345, 12_345);
    expect(variables().notices()).toEqual(
      isRoot ? [`${file} belongs to another user, who can change its variables.`] : [],
    );
  });
});

const STDIO: ServerConnection = {
  kind: "stdio",
  command: "${BIN:-node}",
  args: ["${A}", "--x=${A}"],
  env: { TOKEN: "${TOKEN}", "${NOT_A_VALUE}": "y" },
  cwd: "${DIR}/x",
};

describe("resolveConnection", () => {
  it("expands every value of a stdio connection", () => {
    expect(resolveConnection(STDIO, variables({ A: "1", TOKEN: "t", DIR: "/d" }))).toEqual({
      kind: "stdio",
      command: "node",
      args: ["1", "--x=1"],
      env: { TOKEN: "t", "${NOT_A_VALUE}": "y" },
      cwd: "/d/x",
    });
  });

  it.each(["http", "sse"] as const)("expands the URL and headers of %s", (kind) => {
    const connection: ServerConnection = {
      kind,
      url: "https://${HOST}/mcp",
      headers: { Authorization: "Bearer ${TOKEN}" },
    };
    expect(resolveConnection(connection, variables({ HOST: "h", TOKEN: "t" }))).toEqual({
      kind,
      url: "https://h/mcp",
      headers: { Authorization: "Bearer t" },
    });
  });

  it("names all variables that are not set in one error, and no value", () => {
    const error = failure(() => resolveConnection(STDIO, variables({ A: "s3cret" })));
    expect(error.message).toBe("The variables TOKEN, DIR are not set.");
    expect(JSON.stringify([error.message, error.hint, error.facts])).not.toContain("s3cret");
  });

  it("rethrows errors that are not about variables", () => {
    const connection: ServerConnection = { kind: "http", url: "${", headers: {} };
    expect(failure(() => resolveConnection(connection, variables())).message).toContain("is not a valid variable");
  });
});

describe("variablesIn", () => {
  it("reports a default only if every occurrence has one", () => {
    const connection: ServerConnection = { kind: "http", url: "http://${A:-x}/${A}", headers: { y: "${B:-1}${B:-2}" } };
    expect(variablesIn(connection)).toEqual([
      { name: "A", hasDefault: false },
      { name: "B", hasDefault: true },
    ]);
  });

  it("lists every name once", () => {
    expect(variablesIn(STDIO)).toEqual([
      { name: "BIN", hasDefault: true },
      { name: "A", hasDefault: false },
      { name: "TOKEN", hasDefault: false },
      { name: "DIR", hasDefault: false },
    ]);
  });

  it("lists names inside defaults, and none of a malformed template", () => {
    expect(variablesIn({ kind: "http", url: "${A:-${B}}", headers: { x: "${C} ${" } })).toEqual([
      { name: "A", hasDefault: true },
      { name: "B", hasDefault: false },
    ]);
  });
});
