import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openGateway } from "./gateway.js";
import { inHome } from "./home.js";

/** Answers the handshake after unsolicited output, and exits when its input ends. */
const program = (code: number): string => `exports.runDiscovery = async () => {
  process.stdin.once("data", (line) => {
    const { id } = JSON.parse(line);
    const unread = { id: null, error: { code: -32700, message: "Not read." } };
    for (const answer of [unread, unread, { id, result: {} }])
      process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...answer }) + "\\n");
  });
  process.stdin.on("end", () => process.exit(${code}));
};
exports.runAnygpt = exports.runDiscovery;
`;

it.each([
  ["exits with 0", 0, /^closed$/],
  ["exits with an error", 3, /The gateway was closed and exited with 3/],
])("reports the exit code of a closed gateway that %s", async (_, code, reported) => {
  await inHome(async (home) => {
    const dist = home.path("dist");
    mkdirSync(dist);
    writeFileSync(join(dist, "main.cjs"), program(code));
    const gateway = await openGateway(home, { dist });
    const closed = await gateway.close().then(() => "closed", String);
    expect(closed).toMatch(reported);
  });
});

it("closes a gateway that was killed", async () => {
  await inHome(async (home) => {
    const dist = home.path("dist");
    mkdirSync(dist);
    writeFileSync(join(dist, "main.cjs"), program(0));
    const gateway = await openGateway(home, { dist });
    await gateway.kill();
    await expect(gateway.close()).resolves.toBeUndefined();
  });
});
