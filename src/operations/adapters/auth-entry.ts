import { DiscoveryError } from "../../errors.js";
import type { JsonObject } from "../../model/json.js";

const VARIABLE = /^[A-Za-z_]\w*$/;

/**
 * Converts a value of `--auth` into the `auth` entry of the configuration. The value contains names of environment
 * variables, not secrets, because it remains in the shell's history.
 */
export function toAuthEntry(option: string): JsonObject {
  const [type = "", ...rest] = option.split(":");
  switch (type) {
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
      return { type: "apiKey", in: type, name, value: variable(rest.slice(1), option) };
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

/** Expects one variable name and returns a reference to it. */
function variable(words: readonly string[], option: string): string {
  const [name = ""] = words;
  if (words.length !== 1 || !VARIABLE.test(name)) throw malformed(option);
  return `\${${name}}`;
}

/** The error for an invalid value of `--auth`. It does not quote the value, which may contain a secret by mistake. */
function malformed(option: string): DiscoveryError {
  const [type = ""] = option.split(":");
  const known = ["bearer", "basic", "header", "query", "cookie", "oauth2"].includes(type) ? ` for ${type}` : "";
  return new DiscoveryError("INVALID_REQUEST", `The value of --auth is invalid${known}.`, {
    hint: "Write bearer:VAR, basic:USERVAR:PASSVAR, header:NAME:VAR, query:NAME:VAR, cookie:NAME:VAR or oauth2:IDVAR:SECRETVAR:TOKENURL, where VAR names an environment variable.",
  });
}
