import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../src", import.meta.url));

/** Imports go down only: a room may import from rooms with a smaller number, and from itself. */
const FLOORS: Record<string, number> = {
  "main.ts": 8,
  "index.ts": 8,
  surfaces: 7,
  operations: 6,
  "engine.ts": 5,
  "open-engine.ts": 5,
  "lifecycle.ts": 5,
  "notices.ts": 5,
  "reload.ts": 5,
  "targets.ts": 5,
  "place.ts": 5,
  "own-program.ts": 5,
  "own-model.ts": 5,
  "servers.ts": 5,
  "compose.ts": 5,
  "execution.ts": 5,
  "books.ts": 5,
  "profiles.ts": 5,
  "views.ts": 5,
  "own-server.ts": 5,
  "sign-ins.ts": 5,
  "inheritance.ts": 5,
  "target-parts.ts": 5,
  "tool-files.ts": 5,
  observing: 5,
  metatools: 4,
  discover: 4,
  executor: 3,
  directory: 3,
  config: 2,
  sources: 2,
  catalog: 2,
  rules: 2,
  policy: 2,
  search: 2,
  upstreams: 2,
  audit: 2,
  store: 2,
  adapters: 2,
  toolfiles: 2,
  secrets: 2,
  registry: 2,
  metrics: 2,
  tracing: 2,
  daemon: 2,
  util: 1,
  "version.ts": 1,
  "errors.ts": 0,
  model: 0,
};

/** Stages are strangers to each other. Each exception says why. */
const EXCEPTIONS: { from: RegExp; to: RegExp; why: string }[] = [
  {
    from: /^config\/(options|environment)\.ts$/,
    to: /^(\w+|surfaces\/http)\/options\.ts$/,
    why: "the configuration is composed of every stage's options",
  },
];

/** Who may know which outside library. */
const PRIVILEGED: { library: RegExp; rooms: RegExp }[] = [
  { library: /^@modelcontextprotocol\//, rooms: /^(surfaces\/mcp|upstreams)\// },
  { library: /^commander$/, rooms: /^surfaces\/cli\// },
  { library: /^(hono|@hono\/.*)$/, rooms: /^surfaces\/http\// },
  // Servers, the background gateway, the tools of the platform that keep secrets, and programs such as npm and an editor.
  { library: /^(node:)?child_process$/, rooms: /^(upstreams|daemon|secrets|operations\/programs)\// },
];

interface Import {
  readonly from: string;
  readonly to: string;
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));

const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(SRC, from), "utf8");
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
  return targets.map((to) => ({ from, to: to.startsWith(".") ? resolve(from, to) : to }));
});

function resolve(from: string, to: string): string {
  return relative(SRC, join(SRC, dirname(from), to))
    .replaceAll("\\", "/")
    .replace(/\.js$/, ".ts");
}

const roomOf = (file: string): string => file.split("/")[0] ?? file;
const inner = imports.filter(({ to }) => files.includes(to));

describe("the house", () => {
  it("has a floor for every room", () => {
    expect([...new Set(files.map(roomOf))].filter((room) => FLOORS[room] === undefined)).toEqual([]);
  });

  it("imports go down only, and stages are strangers to each other", () => {
    const wrong = inner.filter(({ from, to }) => {
      if (roomOf(from) === roomOf(to)) return false;
      if (EXCEPTIONS.some((exception) => exception.from.test(from) && exception.to.test(to))) return false;
      const [upper = 0, lower = 0] = [FLOORS[roomOf(from)], FLOORS[roomOf(to)]];
      return upper === 5 ? lower > 5 : lower >= upper;
    });
    expect(wrong).toEqual([]);
  });

  it("lets only the rooms that need it know the protocol's SDK, the command line's parser and child processes", () => {
    const wrong = imports.filter(({ from, to }) =>
      PRIVILEGED.some(({ library, rooms }) => library.test(to) && !rooms.test(from)),
    );
    expect(wrong).toEqual([]);
  });

  it("has no cycles", () => {
    const next = new Map(files.map((file) => [file, inner.filter(({ from }) => from === file).map(({ to }) => to)]));
    const done = new Set<string>();
    const visit = (file: string, path: string[]): string[] | undefined => {
      if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
      if (done.has(file)) return undefined;
      for (const to of next.get(file) ?? []) {
        const cycle = visit(to, [...path, file]);
        if (cycle) return cycle;
      }
      done.add(file);
      return undefined;
    };
    expect(files.map((file) => visit(file, [])).find((cycle) => cycle !== undefined)).toBeUndefined();
  });

  it("reads argv, sets the exit code and listens for signals in main.ts alone", () => {
    const wrong = files.filter(
      (file) =>
        file !== "main.ts" && /process\.(argv|exit\b|exitCode|on\()/.test(readFileSync(join(SRC, file), "utf8")),
    );
    // The reaper is a program of its own.
    expect(wrong.filter((file) => file !== "upstreams/process/reaper.ts")).toEqual([]);
  });

  it("keeps every file under 400 lines and the composition root under 250", () => {
    const lines = (file: string) => readFileSync(join(SRC, file), "utf8").split("\n").length;
    expect(files.filter((file) => lines(file) > 400)).toEqual([]);
    expect(lines("engine.ts")).toBeLessThan(250);
    expect(lines("compose.ts")).toBeLessThan(180);
  });
});
