import { createHash, randomBytes } from "node:crypto";
import { chmodSync, existsSync, lstatSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type DaemonHere, openDaemonHere, readAll } from "../../test/support/daemon.js";
import { eventually } from "../../test/support/eventually.js";
import { openChannel } from "./channel.js";
import type { CommandIo } from "./command-io.js";
import { FRAME, writeFrame } from "./frames.js";
import { askDaemon } from "./registry.js";
import type { DaemonParts } from "./server.js";

let here: DaemonHere | undefined;
const open = async (run: DaemonParts["run"], options?: Partial<DaemonParts>): Promise<DaemonHere> =>
  (here = await openDaemonHere(run, options));

afterEach(async () => {
  await here?.remove();
  here = undefined;
});

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve())));

describe("a command", () => {
  it("receives the client's arguments, environment and terminal, and returns its output and exit code", async () => {
    let seen: [readonly string[], CommandIo] | undefined;
    const { client, env } = await open(async (argv, io) => {
      seen = [argv, io];
      io.stdout.write("out");
      return await Promise.resolve(7);
    });
    const other = { ...env, TERM: "dumb", COLUMNS: "40" };
    const one = client({ env: other, columns: 40, isTerminal: { stdin: true, stdout: false, stderr: true } });
    expect(await one.outcome).toEqual({ kind: "exited", exitCode: 7 });
    expect(one.output()).toBe("out");
    expect(seen?.[0]).toEqual(["mcp", "list"]);
    expect(seen?.[1]).toMatchObject({ env: other, columns: 40, isTerminal: { stdin: true, stdout: false } });
  });

  it("shows both outputs in the order in which they were written", async () => {
    const expected = Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join("");
    const { client } = await open(async (_argv, io) => {
      for (let index = 0; index < 200; index++) (index % 3 === 0 ? io.stderr : io.stdout).write(`line ${index}\n`);
      return await Promise.resolve(0);
    });
    const one = client();
    await one.outcome;
    expect(one.output()).toBe(expected);
  });

  it("passes 10 MiB to a client that reads slowly", async () => {
    const big = randomBytes(10 * 1024 * 1024);
    const { client } = await open(async (_argv, io) => {
      io.stdout.write(big);
      return await Promise.resolve(0);
    });
    const hash = createHash("sha256");
    const slow = new Writable({
      highWaterMark: 1024,
      write(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        setImmediate(done);
      },
    });
    expect(await client({ stdout: slow }).outcome).toEqual({ kind: "exited", exitCode: 0 });
    await eventually(() => slow.writableLength === 0);
    expect(hash.digest("hex")).toBe(createHash("sha256").update(big).digest("hex"));
  });

  it("reads binary input to its end", async () => {
    const input = randomBytes(300_000);
    let read: Buffer | undefined;
    const { client } = await open(async (_argv, io) => {
      read = await readAll(io.stdin);
      return 0;
    });
    const one = client();
    one.stdin.end(input);
    await one.outcome;
    expect(read?.equals(input)).toBe(true);
  });

  it("does not consume input that it does not read", async () => {
    const { client } = await open(() => Promise.resolve(0));
    const one = client();
    one.stdin.write("for the next command\n");
    await one.outcome;
    expect(one.stdin.read()?.toString()).toBe("for the next command\n");
  });

  it("reads one answer per question and nothing after the last one", async () => {
    const { client } = await open(async (_argv, io) => {
      for (const name of ["a", "b"]) {
        io.stderr.write(`${name}?`);
        const lines = createInterface({ input: io.stdin });
        io.stdout.write(await lines.question(""));
        lines.close();
      }
      io.stdout.write("done");
      await new Promise((resolve) => setTimeout(resolve, 50));
      return 0;
    });
    const one = client();
    await eventually(() => one.output().endsWith("a?"));
    one.stdin.write("yes\n");
    await eventually(() => one.output().endsWith("b?"));
    one.stdin.write("no\n");
    await eventually(() => one.output().endsWith("done"));
    one.stdin.write("rm -r\n");
    await one.outcome;
    expect(one.output()).toBe("a?yesb?nodone");
    expect(one.stdin.read()?.toString()).toBe("rm -r\n");
  });

  it("is interrupted by the client's signal", async () => {
    const { client } = await open(async (_argv, io) => {
      io.stdout.write("begun");
      await whenAborted(io.signal);
      return 130;
    });
    const one = client();
    await eventually(() => one.output() === "begun");
    one.stop.abort();
    expect(await one.outcome).toEqual({ kind: "exited", exitCode: 130 });
  });

  it("is interrupted when its client disconnects", async () => {
    let isAborted = false;
    const { paths, env } = await open(async (_argv, io) => {
      await whenAborted(io.signal);
      isAborted = true;
      return 0;
    });
    const channel = await openChannel(paths);
    await channel.ask({
      kind: "command",
      argv: [],
      cwd: "/",
      env,
      isTerminal: { stdin: false, stdout: false, stderr: false },
      columns: 80,
      stderrColumns: 80,
      parentPid: 1,
    });
    writeFrame(channel.socket, FRAME.go);
    await eventually(async () => (await askDaemon(paths, "status")).running === 1);
    channel.close();
    await eventually(() => isAborted);
    expect(await askDaemon(paths, "status")).toMatchObject({ running: 0, served: 1 });
  });

  it("that throws fails with exit code 1, and the daemon continues", async () => {
    const { client, logged } = await open((argv) =>
      argv.length > 0 ? Promise.reject(new Error("broken")) : Promise.resolve(0),
    );
    expect(await client().outcome).toEqual({ kind: "exited", exitCode: 1 });
    expect(await client().outcome).toEqual({ kind: "exited", exitCode: 1 });
    expect(logged.join("\n")).toContain("broken");
  });

  it("disconnects a client that reads nothing of 64 MiB, while other clients are served", async () => {
    let isCut = false;
    const { client } = await open(async (_argv, io) => {
      if (io.columns !== 1) return 0;
      while (!io.signal.aborted) {
        if (io.stdout.writableLength < 80 * 1024 * 1024) io.stdout.write(Buffer.alloc(1024 * 1024));
        await new Promise((resolve) => setImmediate(resolve));
      }
      isCut = true;
      return 0;
    });
    const stuck = new Writable({ highWaterMark: 1, write: () => undefined });
    void client({ columns: 1, stdout: stuck }).outcome;
    expect(await client().outcome).toEqual({ kind: "exited", exitCode: 0 });
    await eventually(() => isCut);
  });

  it("runs concurrently with 49 others, each with its own output", async () => {
    let begun = 0;
    const { client } = await open(async (_argv, io) => {
      begun += 1;
      await eventually(() => begun === 50);
      io.stdout.write(`client ${io.columns}`);
      return io.columns;
    });
    const all = Array.from({ length: 50 }, (_, index) => client({ columns: index }));
    for (const [index, one] of all.entries()) {
      expect(await one.outcome).toEqual({ kind: "exited", exitCode: index });
      expect(one.output()).toBe(`client ${index}`);
    }
  });

  it("is reported as lost and not run again if the daemon exits during it", async () => {
    let runs = 0;
    const { client, daemon } = await open(async (_argv, io) => {
      runs += 1;
      io.stdout.write("begun");
      return await new Promise<number>(() => undefined);
    });
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const one = client();
      await eventually(() => one.output() === "begun");
      daemon.leave("The test ends it.", 0);
      await vi.advanceTimersByTimeAsync(20_000);
      expect(await one.outcome).toEqual({ kind: "lost" });
      expect(runs).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("the daemon", () => {
  it("has a socket that no other user can reach", async () => {
    const { paths } = await open(() => Promise.resolve(0));
    expect(lstatSync(paths.socket).mode & 0o777).toBe(0o600);
    expect(lstatSync(paths.folder).mode & 0o777).toBe(0o700);
  });

  it("exits after its idle time, which every command restarts", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { client, daemon, paths } = await open(() => Promise.resolve(0), { idleMs: 60_000 });
      let isOver = false;
      void daemon.ended.then(() => (isOver = true));
      await vi.advanceTimersByTimeAsync(59_000);
      await client().outcome;
      await vi.advanceTimersByTimeAsync(59_000);
      expect(existsSync(paths.socket)).toBe(true);
      await vi.advanceTimersByTimeAsync(2000);
      expect(existsSync(paths.socket)).toBe(false);
      await eventually(() => isOver);
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not exit while a command runs, however long that takes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { client, paths } = await open(
        async (_argv, io) => {
          io.stdout.write("begun");
          await whenAborted(io.signal);
          return 0;
        },
        { idleMs: 60_000 },
      );
      const one = client();
      await eventually(() => one.output() === "begun");
      await vi.advanceTimersByTimeAsync(600_000);
      expect(existsSync(paths.socket)).toBe(true);
      one.stop.abort();
      await one.outcome;
    } finally {
      vi.useRealTimers();
    }
  });

  it("rejects a command of another environment, finishes running commands, and exits", async () => {
    const { client, daemon, env, paths, logged } = await open(async (_argv, io) => {
      io.stdout.write("begun");
      await whenAborted(io.signal);
      return 5;
    });
    const one = client();
    await eventually(() => one.output() === "begun");
    const channel = await openChannel(paths);
    const answer = await channel.ask({
      kind: "command",
      argv: [],
      cwd: "/",
      env: { ...env, TOKEN: "s3cret" },
      isTerminal: { stdin: false, stdout: false, stderr: false },
      columns: 80,
      stderrColumns: 80,
      parentPid: 1,
    });
    expect(answer).toEqual({ kind: "leaving", reason: "The environment differs in TOKEN." });
    channel.close();
    expect(existsSync(paths.socket)).toBe(false);
    one.stop.abort();
    expect(await one.outcome).toEqual({ kind: "exited", exitCode: 5 });
    await daemon.ended;
    expect(logged.join("\n")).not.toContain("s3cret");
  });

  it("makes the client run a command that it rejects", async () => {
    const { client } = await open(() => Promise.resolve(0), { refusal: () => "A gateway has started it." });
    expect(await client().outcome).toEqual({ kind: "unavailable" });
  });

  it("exits when its socket was removed", async () => {
    const first = await open(() => Promise.resolve(0), { checkMs: 10 });
    rmSync(first.paths.folder, { recursive: true });
    await first.daemon.ended;
    expect(first.logged.join("\n")).toContain("The daemon's socket was removed or replaced.");
  });

  it("returns its status, and exits on a stop request", async () => {
    const { paths, daemon, client } = await open(() => Promise.resolve(0));
    await client().outcome;
    expect(await askDaemon(paths, "status")).toMatchObject({ pid: process.pid, served: 1, running: 0, cwd: paths.cwd });
    expect(await askDaemon(paths, "stop")).toMatchObject({ isLeaving: true });
    await daemon.ended;
    expect(existsSync(paths.socket)).toBe(false);
  });
});

describe("an unauthenticated process", () => {
  const connect = async (socket: string, send: (write: (data: Buffer) => void) => void): Promise<number> =>
    await new Promise((resolve) => {
      let received = 0;
      const connection = createConnection(socket, () => send((data) => void connection.write(data)));
      connection.on("data", (chunk: Buffer) => (received += chunk.length));
      connection.on("error", () => undefined);
      connection.on("close", () => resolve(received));
    });
  const HELLO_BYTES = 5 + 32;

  it("that fails authentication is disconnected and gets only a nonce", async () => {
    let runs = 0;
    const { paths } = await open(() => Promise.resolve((runs += 1)));
    const proof = Buffer.concat([Buffer.of(FRAME.proof, 0, 0, 0, 64), randomBytes(64)]);
    expect(await connect(paths.socket, (write) => write(proof))).toBe(HELLO_BYTES);
    const request = Buffer.from('{"kind":"stop"}');
    const header = Buffer.of(FRAME.request, 0, 0, 0, request.length);
    expect(await connect(paths.socket, (write) => write(Buffer.concat([header, request])))).toBe(HELLO_BYTES);
    expect(await connect(paths.socket, (write) => write(Buffer.of(FRAME.proof, 0, 0x10, 0, 0)))).toBe(HELLO_BYTES);
    expect(runs).toBe(0);
    expect(existsSync(paths.socket)).toBe(true);
  });

  it("that sends nothing is disconnected and does not block others", async () => {
    const { paths, client } = await open(() => Promise.resolve(0), { proofMs: 200 });
    const silent = Array.from({ length: 80 }, () => connect(paths.socket, () => undefined));
    await Promise.all(silent);
    expect(await client().outcome).toEqual({ kind: "exited", exitCode: 0 });
  });

  it("that listens on the daemon's socket is not sent the environment", async () => {
    const { paths, client, daemon } = await open(() => Promise.resolve(0));
    daemon.leave("The test replaces it.");
    await daemon.ended;
    const received: Buffer[] = [];
    const impostor = await listen(paths.socket, (socket) => {
      socket.on("data", (chunk: Buffer) => received.push(chunk));
      socket.on("error", () => undefined);
      writeFrame(socket, FRAME.hello, randomBytes(32));
      socket.once("data", () => writeFrame(socket, FRAME.proof, randomBytes(32)));
    });
    try {
      const env = { ...here?.env, SECRET: "s3cret" };
      expect(await client({ env }).outcome).toMatchObject({
        kind: "unavailable",
        notice: expect.stringContaining("does not have the key") as string,
      });
      expect(Buffer.concat(received).length).toBe(5 + 64);
      expect(Buffer.concat(received).toString("latin1")).not.toContain("s3cret");
    } finally {
      impostor.close();
    }
  });

  it("that replaced the folder by a link or opened it to others is detected", async () => {
    const { paths, client } = await open(() => Promise.resolve(0));
    chmodSync(paths.folder, 0o755);
    expect(await client().outcome).toMatchObject({
      kind: "unavailable",
      notice: expect.stringContaining("can be used by other users") as string,
    });
    chmodSync(paths.folder, 0o700);
    renameSync(paths.socket, `${paths.socket}.moved`);
    symlinkSync(`${paths.socket}.moved`, paths.socket);
    expect(await client().outcome).toMatchObject({
      kind: "unavailable",
      notice: expect.stringContaining("is neither a folder nor a socket") as string,
    });
  });
});

async function listen(path: string, accept: (socket: Socket) => void): Promise<Server> {
  const server = createServer(accept);
  await new Promise<void>((resolve) => server.listen(path, () => resolve()));
  chmodSync(path, 0o600);
  return server;
}
