import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { CHALLENGE_HEADER, PROOF_HEADER, proofOfToken, servedEndpoint } from "../../../util/gateway-proof.js";

const OWN_TOKEN = "the-token-of-this-machine";
const METRICS = `# TYPE anygpt_calls_total counter
anygpt_calls_total{server="github",risk="low",outcome="ok"} 4
process_start_time_seconds ${Date.now() / 1000 - 60}
`;

let place: CliPlace;
let port: number;
let seen: { readonly url: string; readonly authorization: string }[];
const closing: (() => void)[] = [];
beforeEach(async () => {
  seen = [];
  const gateway = createServer((request, response) => {
    const { [CHALLENGE_HEADER]: challenge, authorization = "" } = request.headers;
    const proof = proofOfToken(OWN_TOKEN, challenge, servedEndpoint(request.socket));
    if (proof !== undefined && authorization === "") return response.writeHead(401, { [PROOF_HEADER]: proof }).end();
    seen.push({ url: request.url ?? "", authorization });
    response.writeHead(200).end(METRICS);
  });
  gateway.listen(0, "127.0.0.1");
  await once(gateway, "listening");
  closing.push(() => gateway.close());
  port = (gateway.address() as AddressInfo).port;
  place = createCliPlace();
  place.write("state/http.token", `${OWN_TOKEN}\n`);
});
afterEach(() => {
  place.remove();
  for (const close of closing.splice(0)) close();
});

const top = (...args: string[]) => place.run("mcp", "top", "--once", ...args);

describe("which gateway is read", () => {
  it("the gateway of this machine, if the configuration enables HTTP", async () => {
    const config = place.write("config.json", { http: { port } });
    const { exit, stdout } = await top("--config", config);
    expect(exit).toBe(0);
    expect(stdout).toContain(`http://127.0.0.1:${port}, up 1 min`);
    expect(stdout).toMatch(/^github .* 4 +0\.0\d +0$/m);
    expect(seen).toEqual([{ url: "/metrics", authorization: "Bearer the-token-of-this-machine" }]);
  });

  it("the audit log, if no gateway answers", async () => {
    const config = place.write("config.json", { http: { port: 1 } });
    const { exit, stdout } = await top("--config", config);
    expect([exit, stdout.includes("No call in the last 15 min.")]).toEqual([0, true]);
  });

  it("the gateway of --url, which gets this machine's token only if it runs on this machine", async () => {
    await top("--url", `http://127.0.0.1:${port}`);
    // The host name looks like another machine.
    await top("--url", `http://0.0.0.0:${port}/behind/metrics`);
    expect(seen).toEqual([
      { url: "/metrics", authorization: "Bearer the-token-of-this-machine" },
      { url: "/behind/metrics", authorization: "" },
    ]);
  });

  it("with the token of a file that is named", async () => {
    place.write("other.token", "another\n");
    await top("--url", `http://0.0.0.0:${port}`, "--token-file", "other.token");
    expect(seen).toEqual([{ url: "/metrics", authorization: "Bearer another" }]);
    const { exit, stderr } = await top("--url", `http://127.0.0.1:${port}`, "--token-file", "absent");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("absent cannot be read")]);
  });

  it("none whose address is no web address", async () => {
    const { exit, stderr } = await top("--url", "file:///etc/passwd");
    expect([exit, stderr]).toEqual([1, expect.stringContaining("is not an HTTP or HTTPS URL")]);
  });
});
