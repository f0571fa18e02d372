import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli } from "../../src/surfaces/cli/run.js";
import { nodeServer, ROOT } from "./gateway.js";

const NEVER_MS = 2 ** 31 - 1;

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as the single JSON value of `--json`. */
  json(): unknown;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly stdin?: string | Readable;
  readonly signal?: AbortSignal;
  /** Whether slow commands show progress, as they do after one second. Off by default: it depends on the machine. */
  readonly showsProgress?: boolean;
  /** Receives all output as it is written. */
  readonly onOutput?: (text: string) => unknown;
}

/** A folder that is both home and working directory, for commands run in this process. */
export interface CliPlace {
  readonly folder: string;
  run(...argv: string[]): Promise<Ran>;
  runWith(options: RunOptions, ...argv: string[]): Promise<Ran>;
  write(file: string, content: string | object): string;
  remove(): void;
}

/** The configuration, if given, is written to the project's location. */
export function createCliPlace(config?: object): CliPlace {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-cli-"));
  const write = (file: string, content: string | object): string => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  if (config !== undefined) write(".anygpt/mcp-discovery.config.json", config);

  const runWith = async (options: RunOptions, ...argv: string[]): Promise<Ran> => {
    const output = { stdout: "", stderr: "" };
    const sink = (name: "stdout" | "stderr") =>
      new Writable({
        decodeStrings: false,
        write(chunk, _encoding, done) {
          output[name] += String(chunk);
          options.onOutput?.(String(chunk));
          done();
        },
      });
    const exit = await runCli(argv, {
      stdin: options.stdin instanceof Readable ? options.stdin : Readable.from([Buffer.from(options.stdin ?? "")]),
      stdout: sink("stdout"),
      stderr: sink("stderr"),
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        ANYGPT_HOME: join(folder, "state"),
        ANYGPT_DAEMON: "0",
        ...options.env,
      },
      cwd: folder,
      isTerminal: {
        stdin: options.isTerminal === true,
        stdout: options.isTerminal === true,
        stderr: options.isTerminal === true,
      },
      columns: options.columns ?? 80,
      ...(options.showsProgress === true ? {} : { progressDelayMs: NEVER_MS }),
      signal: options.signal ?? new AbortController().signal,
    });
    return { exit, ...output, json: () => JSON.parse(output.stdout) as unknown };
  };

  return {
    folder,
    write,
    runWith,
    run: (...argv) => runWith({}, ...argv),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A real server with the given tools that answers every call with `answer`. The program is in `place`. */
export function toolServer(
  place: CliPlace,
  name: string,
  { tools, answer = {} }: { tools: object[]; answer?: object },
) {
  const rpc = JSON.stringify(join(ROOT, "test/servers/rpc.mjs"));
  const file = place.write(
    `servers/${name}.mjs`,
    `import { serve } from ${rpc};
const tools = ${JSON.stringify(tools)};
serve({ "tools/list": () => ({ tools }), "tools/call": () => (${JSON.stringify(answer)}) });
`,
  );
  return nodeServer(file);
}
