import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SRC = join(ROOT, "src");

/** Layers: a folder may import from itself and from folders in a lower layer. */
const LAYERS: Record<string, number> = {
  "main.ts": 10,
  "early-signals.ts": 9,
  "index.ts": 10,
  surfaces: 9,
  operations: 8,
  "engine.ts": 7,
  gateway: 6,
  "built-in": 5,
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
  results: 2,
  metrics: 2,
  tracing: 2,
  daemon: 2,
  terminal: 2,
  util: 1,
  "version.ts": 1,
  "errors.ts": 0,
  model: -1,
};

/** Folders of one layer must not import each other. Each exception states its reason. */
const EXCEPTIONS: { from: RegExp; to: RegExp; why: string }[] = [
  {
    from: /^config\/(options|environment)\.ts$/,
    to: /^(\w+|surfaces\/http)\/options\.ts$/,
    why: "the configuration is composed of every stage's options",
  },
];

/** Which folders may import which library. */
const PRIVILEGED: { library: RegExp; rooms: RegExp }[] = [
  { library: /^@modelcontextprotocol\//, rooms: /^(surfaces\/mcp|upstreams)\// },
  { library: /^commander$/, rooms: /^surfaces\/cli\// },
  { library: /^(hono|@hono\/.*)$/, rooms: /^surfaces\/http\// },
  // For servers, the background gateway, the platform's secret stores, and programs such as npm and an editor.
  { library: /^(node:)?child_process$/, rooms: /^(upstreams|daemon|secrets|operations\/programs)\// },
];

/** Re-exports are not declarations. */
const DECLARED = /^export (?:async )?(?:const|function\*?|class|interface|type) (\w+)/gm;

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

function testFilesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => join(folder, file));
}

function resolve(from: string, to: string): string {
  return relative(SRC, join(SRC, dirname(from), to))
    .replaceAll("\\", "/")
    .replace(/\.js$/, ".ts");
}

interface DeclaredInterface {
  readonly name: string;
  /** The members that the type declares itself, without inherited members and those of a `Pick`. */
  readonly members: readonly string[];
}

/** The formatter ends every interface with a brace at the start of a line and indents its members by two spaces. */
function interfacesIn(text: string): DeclaredInterface[] {
  return [...text.matchAll(/^(?:export )?interface (\w+)[^]*?^}/gm)].map(([body, name = ""]) => ({
    name,
    members: [...body.matchAll(/^  (?:readonly )?(\w+)[?(:]/gm)].map(([, member = ""]) => member),
  }));
}

const roomOf = (file: string): string => file.split("/")[0] ?? file;
const inner = imports.filter(({ to }) => files.includes(to));

describe("the architecture", () => {
  it("assigns a layer to every folder", () => {
    expect([...new Set(files.map(roomOf))].filter((room) => LAYERS[room] === undefined)).toEqual([]);
  });

  it("allows imports only from lower layers, and none between folders of one layer", () => {
    const wrong = inner.filter(({ from, to }) => {
      if (roomOf(from) === roomOf(to)) return false;
      if (EXCEPTIONS.some((exception) => exception.from.test(from) && exception.to.test(to))) return false;
      const [upper = 0, lower = 0] = [LAYERS[roomOf(from)], LAYERS[roomOf(to)]];
      return lower >= upper;
    });
    expect(wrong).toEqual([]);
  });

  it("restricts the MCP SDK, the command-line parser and child processes to the folders that need them", () => {
    const wrong = imports.filter(({ from, to }) =>
      PRIVILEGED.some(({ library, rooms }) => library.test(to) && !rooms.test(from)),
    );
    expect(wrong).toEqual([]);
  });

  it("opens files for reading in one place, which refuses named pipes and devices", () => {
    const readers = imports.filter(({ to }) => /^(node:)?fs(\/promises)?$/.test(to)).map(({ from }) => from);
    const wrong = [...new Set(readers)].flatMap((file) => {
      if (file === "util/regular-file.ts") return [];
      const text = readFileSync(join(SRC, file), "utf8");
      const names = [...text.matchAll(/import \{([^}]*)\} from "(?:node:)?fs(?:\/promises)?"/g)].flatMap(
        ([, list = ""]) => list.split(",").map((name) => name.trim().split(" ")[0] ?? ""),
      );
      const read = names.filter((name) => /^(?:readFile|readFileSync|createReadStream|readv|openAsBlob)$/.test(name));
      // A call with a flag that creates or appends to a file opens it for writing.
      const opened = names.some((name) => name === "open" || name === "openSync")
        ? [...text.matchAll(/(?<![\w.#])open(?:Sync)?\(([^)]*)\)/g)].flatMap(([call, args = ""]) =>
            /"(?:wx?|a)"|O_CREAT|O_RDWR/.test(args) ? [] : [call],
          )
        : [];
      return [...read, ...opened].map((what) => `${file}: ${what}`);
    });
    // The only way to confirm that a folder is written to the disk is to open it.
    expect(wrong).toEqual(['util/sync-folder.ts: open(folder, "r")']);
  });

  it("has no import cycles", () => {
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

  it("reads argv, sets the exit code and handles signals in main.ts only", () => {
    const wrong = files.filter(
      (file) =>
        file !== "main.ts" && /process\.(argv|exit\b|exitCode|on\()/.test(readFileSync(join(SRC, file), "utf8")),
    );
    // The reaper is a separate program. `main.ts` imports `early-signals.ts` before all other modules.
    expect(wrong.filter((file) => file !== "upstreams/process/reaper.ts")).toEqual(["early-signals.ts"]);
    const [, first] = /^import [^"]*"([^"]+)"/m.exec(readFileSync(join(SRC, "main.ts"), "utf8")) ?? [];
    expect(first).toBe("./early-signals.js");
  });

  it("keeps every file under 400 lines and the composition root under 250", () => {
    const lines = (file: string) => readFileSync(join(SRC, file), "utf8").split("\n").length;
    expect(files.filter((file) => lines(file) > 400)).toEqual([]);
    expect(lines("engine.ts")).toBeLessThan(250);
    expect(lines("gateway/compose.ts")).toBeLessThan(180);
  });

  it("declares the context of a call once, and no other type repeats its members", () => {
    const declared = files.flatMap((file) =>
      interfacesIn(readFileSync(join(SRC, file), "utf8")).map((one) => ({ ...one, file })),
    );
    const [context, ...others] = declared.filter(({ name }) => name === "CallContext");
    expect([context?.file, others]).toEqual(["model/call.ts", []]);
    const members = new Set(context?.members);
    expect([...members]).toEqual(expect.arrayContaining(["actor", "signal", "onEvent", "peer", "logLevel"]));
    const repeating = declared
      .filter((one) => one !== context && one.members.filter((member) => members.has(member)).length > 1)
      .map(({ file, name }) => `${file} ${name}`);
    // Options of the library's public interface, which has its own names.
    expect(repeating).toEqual(["gateway/engine-options.ts ExecuteOptions"]);
  });

  it("keeps every test file under 400 lines", () => {
    const long = [...testFilesIn("src"), ...testFilesIn("test")].filter(
      (file) => readFileSync(join(ROOT, file), "utf8").split("\n").length > 400,
    );
    expect(long).toEqual([]);
  });

  it("gives every exported name one meaning", () => {
    const exporters = new Map<string, Set<string>>();
    for (const file of files) {
      const text = readFileSync(join(SRC, file), "utf8");
      for (const [, name = ""] of text.matchAll(DECLARED))
        exporters.set(name, (exporters.get(name) ?? new Set()).add(file));
    }
    expect([...exporters].filter(([, where]) => where.size > 1)).toEqual([]);
  });
});
