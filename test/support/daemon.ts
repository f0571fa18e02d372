import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import type { ClientIo, ClientOutcome } from "../../src/daemon/client.js";
import { runInDaemon } from "../../src/daemon/client.js";
import { handshakeKey } from "../../src/daemon/handshake.js";
import { type DaemonPaths, daemonPaths } from "../../src/daemon/paths.js";
import { type Daemon, type DaemonParts, serveDaemon } from "../../src/daemon/server.js";

type Run = DaemonParts["run"];

/** A daemon in this process with a command chosen by the test, and its clients. */
export interface DaemonHere {
  readonly daemon: Daemon;
  readonly paths: DaemonPaths;
  readonly env: Record<string, string>;
  readonly logged: string[];
  client(options?: Partial<ClientIo>): ClientHere;
  remove(): Promise<void>;
}

export interface ClientHere {
  readonly outcome: Promise<ClientOutcome>;
  readonly stdin: PassThrough;
  readonly stop: AbortController;
  output(): string;
}

export async function openDaemonHere(run: Run, options: Partial<DaemonParts> = {}): Promise<DaemonHere> {
  const folder = mkdtempSync(join(tmpdir(), "anygpt-daemon-"));
  const env = { HOME: folder, ANYGPT_HOME: join(folder, "state"), PATH: "/bin" };
  const paths = daemonPaths({ cwd: folder, env });
  mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
  const localKey = randomBytes(32);
  writeFileSync(paths.keyFile, localKey, { mode: 0o600 });
  const logged: string[] = [];
  const daemon = await serveDaemon({
    paths,
    key: handshakeKey(localKey),
    env,
    idleMs: 60_000,
    run,
    refusal: () => undefined,
    describe: () => ({ version: "1", servers: [] }),
    log: (message) => logged.push(message),
    ...options,
  });
  return {
    daemon,
    paths,
    env,
    logged,
    client: (more) => openClient({ cwd: folder, env, ...more }),
    async remove() {
      daemon.leave("The test has ended.", 0);
      await daemon.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function openClient(options: Pick<ClientIo, "cwd" | "env"> & Partial<ClientIo>): ClientHere {
  const stdin = new PassThrough();
  const stop = new AbortController();
  let output = "";
  const sink = (): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        output += String(chunk);
        done();
      },
    });
  const outcome = runInDaemon(["mcp", "list"], {
    stdin,
    stdout: sink(),
    stderr: sink(),
    isTerminal: { stdin: false, stdout: false, stderr: false },
    columns: 80,
    stderrColumns: 80,
    signal: stop.signal,
    parentPid: 1,
    ...options,
  });
  return { outcome, stdin, stop, output: () => output };
}

export async function readAll(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Buffer));
  return Buffer.concat(chunks);
}
