// A server that misbehaves in one way. Start: node faulty.mjs MODE
import { spawn } from "node:child_process";
import { closeSync, writeSync } from "node:fs";
import { send, serve, text } from "./rpc.mjs";

/** Writes all bytes to a pipe: a full pipe takes only a part, so the rest is written again until the reader has made room. */
function writeWhole(text) {
  let left = Buffer.from(text);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

const mode = process.argv[2];
const argument = process.argv[3];
const tool = (name) => ({ name, description: `The tool ${name}.`, inputSchema: { type: "object" } });
const echo = {
  "tools/list": () => ({ tools: [tool("echo")] }),
  "tools/call": ({ arguments: args }) => text(JSON.stringify(args)),
};
const stayAlive = () => setInterval(() => undefined, 60_000);

function pages(list) {
  serve({ ...echo, "tools/list": list });
}

const modes = {
  "hang-init": () => {
    process.stdin.resume();
    stayAlive();
  },
  "exit-now": () => {
    process.stderr.write("no database configured\n");
    process.exit(7);
  },
  leak: () => {
    process.stdout.write(`using ${process.env.TOKEN}\n`);
    process.stderr.write(`the token ${process.env.TOKEN} was refused\n`);
    process.exit(1);
  },
  "exit-zero": () => process.exit(0),
  garbage: () => {
    process.stdout.write("Welcome to my server!\n\u0000\u0001\n{not json\n");
    process.stdin.resume();
    stayAlive();
  },
  banner: () => {
    process.stdout.write("Welcome to my server!\n");
    serve(echo);
  },
  "stderr-flood": () => {
    const flood = () => process.stderr.write(`${"noise ".repeat(10_000)}\n`, () => setImmediate(flood));
    flood();
    serve(echo);
  },
  // Answers the handshake, then stops reading.
  "no-read": () => {
    serve({ ...echo, "notifications/initialized": () => process.stdin.pause() });
    stayAlive();
  },
  "ignore-term": () => {
    process.on("SIGTERM", () => undefined);
    process.on("SIGINT", () => undefined);
    serve({ ...echo, "tools/call": () => text(process.pid) });
    // It ignores the end of its input, too.
    process.exit = stayAlive;
  },
  // A child process holds the pipes; its process id is in the answer.
  grandchild: () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 60000)"], { stdio: "inherit" });
    serve({ ...echo, "tools/call": ({ name }) => (name === "hang" ? undefined : text(`${process.pid} ${child.pid}`)) });
  },
  pages: () =>
    pages(({ cursor = "0" }) => {
      const page = Number(cursor);
      return { tools: [tool(`t${page}a`), tool(`t${page}b`)], nextCursor: page < 2 ? String(page + 1) : argument };
    }),
  "silent-list": () => serve({ ...echo, "tools/list": () => undefined }),
  "page-loop": () => pages(() => ({ tools: [tool("same")], nextCursor: "again" })),
  "page-endless": () =>
    pages(({ cursor = "0" }) => ({ tools: [tool(`t${cursor}`)], nextCursor: String(Number(cursor) + 1) })),
  "page-fails": () =>
    pages(({ cursor }) => {
      if (cursor !== undefined) throw Object.assign(new Error("page 2 is broken"), { code: -32603 });
      return { tools: [tool("first")], nextCursor: "2" };
    }),
  "bad-tools": () =>
    serve({
      ...echo,
      "tools/list": () => ({
        tools: [
          tool("good"),
          { name: "null-schema", inputSchema: null },
          { description: "nameless", inputSchema: {} },
          42,
          tool("good"),
          { name: "no-schema" },
        ],
      }),
    }),
  "no-tools": () => serve({}, { capabilities: {} }),
  "announces-at-start": () =>
    serve({ ...echo, "notifications/initialized": () => send({ method: "notifications/tools/list_changed" }) }),
  "list-changed-storm": () =>
    serve({
      ...echo,
      "tools/call": () => {
        for (let count = 0; count < 200; count++) send({ method: "notifications/tools/list_changed" });
        return text("stormed");
      },
    }),
  // The id comes last, as in servers built on the older SDK, and `first` puts it in front.
  "huge-line": () =>
    serve({
      ...echo,
      "tools/call": ({ name, arguments: { bytes } = {} }, id) => {
        if (name === "small") return text("small");
        const result = JSON.stringify(text("x".repeat(bytes)));
        const line =
          name === "first"
            ? `{"jsonrpc":"2.0","id":${id},"result":${result}}`
            : `{"result":${result},"jsonrpc":"2.0","id":${id}}`;
        process.stdout.write(`${line}\n`);
      },
    }),
  // Every answer comes twice, and once more when the next call arrives.
  "late-response": () => {
    let last;
    serve({
      ...echo,
      "tools/call": ({ arguments: args }, id) => {
        if (last !== undefined) send(last);
        last = { id, result: text(JSON.stringify(args)) };
        send(last);
        return last.result;
      },
    });
  },
  // The process exits right after it has written the answer to the pipe.
  "answer-and-exit": () =>
    serve({
      ...echo,
      "tools/call": (_, id) => {
        writeWhole(`${JSON.stringify({ jsonrpc: "2.0", id, result: text("x".repeat(150_000)) })}\n`);
        process.kill(process.pid, "SIGKILL");
      },
    }),
  "silent-legacy": () => serve({ ...echo, "server/discover": () => undefined }),
  "exits-on-probe": () => serve({ ...echo, "server/discover": () => process.exit(1) }),
  "wrong-version": () =>
    serve({
      ...echo,
      initialize: () => ({
        protocolVersion: "1999-01-01",
        capabilities: {},
        serverInfo: { name: "old", version: "0" },
      }),
    }),
  "closes-stdout": () => {
    serve({ ...echo, "tools/call": () => closeSync(1) });
    stayAlive();
  },
  "not-a-result": () => serve({ ...echo, "tools/call": () => "just text" }),
};

modes[mode]();
