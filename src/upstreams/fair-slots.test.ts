import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import { closeAll, inFlight, openWatched, stdioTarget, textOf, toCall } from "../../test/support/upstreams.js";

const folder = mkdtempSync(join(tmpdir(), "anygpt-slots-"));
afterEach(async () => {
  await closeAll();
  rmSync(folder, { recursive: true, force: true });
});

it("answers a caller while another caller has 64 slow calls to the same server", async () => {
  const gate = stdioTarget("gate", ["gate.mjs"]);
  const upstreams = openWatched({ queueWaitMs: 600_000 });
  upstreams.expectPeers("many");
  const file = join(folder, "open");
  const slow = Array.from({ length: 64 }, () =>
    upstreams.call(gate, toCall("hold", { file }, { actorId: "ann", timeoutMs: 600_000 })),
  );
  await eventually(() => inFlight(upstreams, "gate") === 12);
  const held = async (actorId: string): Promise<string> =>
    textOf(await upstreams.call(gate, toCall("held", {}, { actorId })));
  expect(await Promise.all(["bob", "cem", "dan"].map(held))).toEqual(["12", "12", "12"]);
  writeFileSync(file, "");
  expect(await Promise.all(slow)).toHaveLength(64);
});
