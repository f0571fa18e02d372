import { isJsonObject, type JsonObject } from "../../model/json.js";

/** The requests that a server may send to a client, by method, with the client capability that each needs. */
const CAPABILITY_OF: Readonly<Record<string, string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/**
 * The client capabilities that the gateway declares to every server: everything that some client may support. They are
 * the same in every process and for every caller, because servers use them to decide which tools to list; otherwise the
 * list would depend on the first caller. If the caller lacks a capability, the server gets an error when it sends the
 * request. `roots.listChanged` is not declared, because it would let a server request the roots outside of any call,
 * when no client can be determined.
 */
export const DECLARED_CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { context: {}, tools: {} },
  roots: {},
};

export function isServerRequest(method: string): boolean {
  return Object.hasOwn(CAPABILITY_OF, method);
}

/** The capability that a client lacks for this request. Undefined if it lacks none. */
export function missingCapability(
  method: string,
  params: JsonObject,
  capabilities: JsonObject,
): MissingCapability | undefined {
  const name = CAPABILITY_OF[method] ?? method;
  const declared = capabilities[name];
  if (!isJsonObject(declared)) return { kind: "capability", needs: name };
  const part = partOf(method, params);
  if (part === undefined || declared[part] !== undefined) return undefined;
  // Elicitation without a mode means forms, as in MCP 2025-06-18, which has no modes.
  if (part === "form" && declared["url"] === undefined) return undefined;
  return { kind: "part", needs: `${name}.${part}` };
}

export interface MissingCapability {
  readonly kind: "capability" | "part";
  readonly needs: string;
}

function partOf(method: string, params: JsonObject): string | undefined {
  if (method === "elicitation/create") return params["mode"] === "url" ? "url" : "form";
  const hasTools = params["tools"] !== undefined || params["toolChoice"] !== undefined;
  return method === "sampling/createMessage" && hasTools ? "tools" : undefined;
}
