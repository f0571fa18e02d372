import { Writable } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { type DaemonHere, openDaemonHere } from "../../test/support/daemon.js";

let here: DaemonHere | undefined;
afterEach(() => here?.remove());

it.each([
  ["one write", 1],
  ["many writes", 160],
])(
  "passes 80 MiB in %s to a client that reads",
  async (_name, pieces) => {
    here = await openDaemonHere(async (_argv, io) => {
      for (let piece = 0; piece < pieces; piece++) io.stdout.write(Buffer.alloc((80 * 1024 * 1024) / pieces, 97));
      io.stderr.write("end");
      return Promise.resolve(0);
    });
    let bytes = 0;
    const stdout = new Writable({
      write(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        setImmediate(done);
      },
    });
    expect(await here.client({ stdout }).outcome).toEqual({ kind: "exited", exitCode: 0 });
    expect(bytes).toBe(80 * 1024 * 1024);
  },
  60_000,
);
