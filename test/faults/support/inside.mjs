// Loaded into a gateway before its program: reports its memory after a garbage collection over a socket.
import { createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

const PASSES = 3;

if (isMainThread && process.env.FAULT_INSIDE !== undefined) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const server = createServer(async (socket) => {
    for (let pass = 0; pass < PASSES; pass += 1) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.on("error", () => undefined).end(JSON.stringify(process.memoryUsage()));
  });
  server.listen(`${process.env.FAULT_INSIDE}-${process.pid}`).unref();
}
