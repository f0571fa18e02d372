import { isJsonObject, type JsonObject } from "../../model/json.js";

/** What a server may ask of a client, with the capability that each needs. */
const ASKABLE: Readonly<Record<string, string>> = {
  "elicitation/create": "elicitation",
  "sampling/createMessage": "sampling",
  "roots/list": "roots",
};

/**
 * What every server is told in the handshake: everything that some client may be able to answer. It is the same in every
 * process, whoever calls, because servers choose by it which tools they list: a list that depends on who asked first would
 * change with every command. A caller that cannot be asked is named when the server asks. Changes of the folders are not
 * announced: a server would ask for them outside of any call, when there is no caller to ask.
 */
export const ANY_CLIENT = {
  elicitation: { form: {}, url: {} },
  sampling: { context: {}, tools: {} },
  roots: {},
};

export function isAskable(method: string): boolean {
  return Object.hasOwn(ASKABLE, method);
}

/** Why a client with these capabilities cannot be asked this; undefined when it can. */
export function lackOf(method: string, params: JsonObject, capabilities: JsonObject): Lack | undefined {
  const name = ASKABLE[method] ?? method;
  const declared = capabilities[name];
  if (!isJsonObject(declared)) return { kind: "capability", needs: name };
  const part = partOf(method, params);
  if (part === undefined || declared[part] !== undefined) return undefined;
  // Without any mode it means forms, as before there were modes (2025-06-18).
  if (part === "form" && declared["url"] === undefined) return undefined;
  return { kind: "part", needs: `${name}.${part}` };
}

export interface Lack {
  readonly kind: "capability" | "part";
  readonly needs: string;
}

function partOf(method: string, params: JsonObject): string | undefined {
  if (method === "elicitation/create") return params["mode"] === "url" ? "url" : "form";
  const hasTools = params["tools"] !== undefined || params["toolChoice"] !== undefined;
  return method === "sampling/createMessage" && hasTools ? "tools" : undefined;
}
