import { Client } from "@modelcontextprotocol/client";
import { expect, it } from "vitest";
import { eventually } from "../../test/support/eventually.js";
import { monitored } from "../../test/support/message-monitor.js";
import { serverFile, toCall } from "../../test/support/upstreams.js";
import type { DiscoveryError } from "../errors.js";
import { createSecrets } from "../util/secrets.js";
import { createStderrRing } from "./process/stderr-ring.js";
import { createUpstreamSession } from "./session.js";
import { createStdioChannel } from "./stdio-transport.js";

it("reports a call as not executed and the session as lost if the server exited before the session was created", async () => {
  const secrets = createSecrets();
  const channel = createStdioChannel(
    { kind: "stdio", command: process.execPath, args: [serverFile("echo.mjs")], env: {} },
    {
      server: "echo",
      ...monitored("echo"),
      env: process.env,
      maxMessageBytes: 1_000_000,
      writeTimeoutMs: 10_000,
      stderr: createStderrRing(secrets.redact),
      reaper: { watch: () => undefined, detach: () => undefined, forget: () => undefined, close: () => undefined },
      redact: secrets.redact,
      installations: {
        begin: async () => undefined,
        brokenNpxFolder: () => undefined,
        npmLog: () => undefined,
        isNeeded: () => false,
      },
      onInstalling: () => undefined,
    },
  );
  const clientInfo = { name: "test", version: "1.0.0" };
  const client = new Client(clientInfo);
  await client.connect(channel.transport);
  channel.kill();
  await eventually(() => channel.ending() !== undefined);

  const lost: DiscoveryError[] = [];
  const session = createUpstreamSession({
    server: "echo",
    client,
    channel,
    clientInfo,
    secrets,
    ...monitored("echo"),
    listTimeoutMs: 10_000,
    pulseTimeoutMs: 10_000,
    onListChanged: () => undefined,
    onNotice: () => undefined,
    onLost: (reason) => lost.push(reason),
  });
  await expect(session.callTool(toCall("echo"))).rejects.toMatchObject({ executed: "no" });
  expect(lost).toHaveLength(1);
});
