import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import type { RestConnection } from "../../src/model/server.js";
import type { RestSessionParts } from "../../src/upstreams/rest/open-rest-session.js";
import type { UpstreamSession } from "../../src/upstreams/session.js";
import { listen, type Loopback, type Reply } from "./loopback.js";
import { open, toOperation } from "./session.js";

export const GET = toOperation();
export const POST = toOperation({ method: "POST" });

/** APIs, sessions and folders that are closed after each test of the calling file. */
export function setUpSessions() {
  const ending: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ending.splice(0).toReversed()) await end();
  });

  return {
    async serve(reply?: Reply): Promise<Loopback> {
      const api = await listen(reply);
      ending.push(() => api.stop());
      return api;
    },

    async openTo(
      api: Loopback,
      connection: Partial<RestConnection> = {},
      parts: Partial<RestSessionParts> = {},
    ): Promise<UpstreamSession> {
      const session = await open({ baseUrl: `${api.origin}/v1`, ...connection }, parts);
      ending.push(() => session.close());
      return session;
    },

    place(): string {
      const folder = mkdtempSync(join(tmpdir(), "rest-"));
      ending.push(() => rmSync(folder, { recursive: true }));
      return folder;
    },

    atEnd: (end: () => unknown): void => void ending.push(end),
  };
}
