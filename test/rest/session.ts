import type { JsonObject } from "../../src/model/json.js";
import type { RestOperation, RestParameter } from "../../src/model/operation.js";
import type { RestConnection } from "../../src/model/server.js";
import { upstreamOptions } from "../../src/upstreams/options.js";
import type { ConvertDocument } from "../../src/upstreams/rest/convert-document.js";
import {
  createRestMemory,
  openRestSession,
  type RestSessionParts,
} from "../../src/upstreams/rest/open-rest-session.js";
import type { UpstreamSession } from "../../src/upstreams/session.js";
import type { UpstreamCall } from "../../src/upstreams/types.js";
import { createSecrets } from "../../src/util/secrets.js";
import { type GivenUpstreamCall, toUpstreamCall } from "../support/calls.js";

export const NO_TOOLS: ConvertDocument = () => Promise.resolve({ tools: [], dropped: [], truncated: false });

export function toConnection(extra: Partial<RestConnection> = {}): RestConnection {
  return { kind: "rest", document: "/nowhere/api.json", headers: {}, uploads: [], operations: [], ...extra };
}

export function open(
  connection: Partial<RestConnection>,
  extra: Partial<RestSessionParts> = {},
): Promise<UpstreamSession> {
  return openRestSession(toConnection(connection), {
    server: "api",
    version: "1.2.3",
    options: upstreamOptions.parse({}),
    secrets: createSecrets(),
    convert: NO_TOOLS,
    memory: createRestMemory(),
    now: Date.now,
    random: () => 0.5,
    // Waiting takes no time here; other tests assert the waits.
    schedule: (_, run) => {
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
    ...extra,
  });
}

export function toOperation(extra: Partial<RestOperation> = {}): RestOperation {
  return { method: "GET", path: "/items", parameters: [], ...extra };
}

const STYLES = { path: "simple", header: "simple", query: "form", cookie: "form" } as const;

export function parameter(place: RestParameter["in"], name: string, extra: Partial<RestParameter> = {}): RestParameter {
  const style = STYLES[place];
  return { argument: name, name, in: place, style, explode: style === "form", ...extra };
}

export function toCall(operation: RestOperation, args: JsonObject = {}, extra: GivenUpstreamCall = {}): UpstreamCall {
  return toUpstreamCall({ tool: "tool", arguments: args, operation, ...extra });
}
