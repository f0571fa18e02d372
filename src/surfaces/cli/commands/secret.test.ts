import { afterEach, beforeEach, expect, it } from "vitest";
import { type CliPlace, createCliPlace } from "../../../../test/support/cli.js";
import { fakeTools } from "../../../../test/support/fake-tools.js";

let place: CliPlace;
let env: Record<string, string>;
beforeEach(() => {
  place = createCliPlace();
  env = { PATH: `${fakeTools(place.folder).bin}:${process.env["PATH"]}` };
});
afterEach(() => place.remove());

it.skipIf(process.platform !== "linux")(
  "stores a secret from standard input, reads it for a check, and removes it",
  async () => {
    const run = (...argv: string[]) => place.runWith({ env }, "mcp", "secret", ...argv);
    const set = await place.runWith({ env, stdin: "s3cret-value\n" }, "mcp", "secret", "set", "TOKEN", "--json");
    expect(set.json()).toEqual({ name: "TOKEN", reference: "${keychain:TOKEN}" });
    const checked = await run("check", "keychain:TOKEN", "--json");
    expect(checked.json()).toEqual({ reference: "${keychain:TOKEN}", readable: true, characters: 12 });
    expect((await run("remove", "TOKEN")).exit).not.toBe(0);
    expect((await run("remove", "TOKEN", "--yes")).exit).toBe(0);
    const gone = await run("check", "keychain:TOKEN");
    expect([gone.exit, gone.stderr.includes("anygpt mcp secret set TOKEN")]).toEqual([2, true]);
    expect(JSON.stringify([set, checked, gone])).not.toContain("s3cret-value");
  },
);

it("lists references and inherited variables without reading any", async () => {
  place.write("mine.json", {
    servers: {
      files: { command: "x", env: { T: "${keychain:NONE}", U: "${command:false}" }, inheritEnv: ["AWS_*"] },
    },
  });
  const shown = await place.runWith({ env }, "mcp", "env", "--json", "--config", "mine.json");
  expect(shown.json()).toMatchObject({
    secrets: [
      { reference: "${keychain:NONE}", neededBy: ["files"] },
      { reference: "${command:false}", neededBy: ["files"] },
    ],
    environment: { inherited: [{ server: "files", inheritEnv: ["AWS_*"] }], withheld: [] },
  });
  const listed = await place.runWith({ env }, "mcp", "secret", "list", "--config", "mine.json");
  expect(listed.stdout).toBe("${keychain:NONE} (used by files)\n${command:false} (used by files)\n");
  expect((await place.runWith({ env }, "mcp", "secret", "list")).stdout).toMatch(/^No server refers to a secret\. /);
  expect((await place.runWith({ env }, "mcp", "config", "validate", "--config", "mine.json")).exit).toBe(0);
});
