import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";

const VARIABLE = /^[A-Za-z_]\w*$/;

/** `bearer:VAR` and the like as the configuration writes it. The secret itself is never taken: it would stay in the shell's history. */
export function toAuthEntry(option: string): JsonObject {
  const [way = "", ...rest] = option.split(":");
  switch (way) {
    case "bearer":
      return { type: "bearer", token: variable(rest, option) };
    case "basic":
      return rest.length === 1
        ? { type: "basic", username: variable(rest, option) }
        : { type: "basic", username: variable(rest.slice(0, 1), option), password: variable(rest.slice(1), option) };
    case "header":
    case "query":
    case "cookie": {
      const [name = ""] = rest;
      if (name === "") throw malformed(option);
      return { type: "apiKey", in: way, name, value: variable(rest.slice(1), option) };
    }
    case "oauth2": {
      const [id = "", secret = "", ...address] = rest;
      if (!/^https?:\/\//.test(address.join(":"))) throw malformed(option);
      return {
        type: "oauth2",
        tokenUrl: address.join(":"),
        clientId: variable([id], option),
        clientSecret: variable([secret], option),
      };
    }
    default:
      throw malformed(option);
  }
}

/** The one word that is left, as a variable. */
function variable(words: readonly string[], option: string): string {
  const [name = ""] = words;
  if (words.length !== 1 || !VARIABLE.test(name)) throw malformed(option);
  return `\${${name}}`;
}

/** What was typed may hold a secret by mistake: it is not repeated. */
function malformed(option: string): DiscoveryError {
  const [way = ""] = option.split(":");
  const known = ["bearer", "basic", "header", "query", "cookie", "oauth2"].includes(way) ? ` for ${way}` : "";
  return new DiscoveryError("INVALID_REQUEST", `--auth is not written as it should be${known}.`, {
    hint: "Write bearer:VAR, basic:USERVAR:PASSVAR, header:NAME:VAR, query:NAME:VAR, cookie:NAME:VAR or oauth2:IDVAR:SECRETVAR:TOKENURL, where VAR names an environment variable.",
  });
}
