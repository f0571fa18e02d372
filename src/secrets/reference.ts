// Parses a secret reference: the text between `${` and `}`.
import { DiscoveryError } from "../errors.js";
import { splitCommand } from "../util/split-command.js";

export type SecretReference =
  | { readonly kind: "keychain"; readonly item: KeychainItem }
  | { readonly kind: "1password"; readonly address: string }
  | { readonly kind: "vault"; readonly path: string; readonly field: string }
  | { readonly kind: "command"; readonly program: string; readonly args: readonly string[] };

/** An entry of the system keychain. */
export interface KeychainItem {
  readonly service: string;
  readonly account: string;
}

/** The service of keychain entries whose reference names no service. */
const DEFAULT_SERVICE = "anygpt";
/**
 * Valid service and account names. A leading dash is excluded, because the keychain tool would read it as an option.
 */
const NAME = /^[A-Za-z0-9_.@][A-Za-z0-9_.@-]{0,127}$/;

export function parseReference(text: string): SecretReference {
  if (text.startsWith("op://")) return parse1Password(text);
  const [, scheme, rest = ""] = /^(keychain|vault|command):([^]*)$/.exec(text) ?? [];
  if (scheme === "keychain") return { kind: "keychain", item: keychainItem(rest) };
  return scheme === "vault" ? parseVault(rest) : parseCommand(rest);
}

/** Parses `NAME`, or `SERVICE/ACCOUNT` for an entry of another program. */
export function keychainItem(name: string): KeychainItem {
  const parts = name.split("/");
  const [service, account] = parts.length === 2 ? parts : [DEFAULT_SERVICE, name];
  if (service !== undefined && account !== undefined && NAME.test(service) && NAME.test(account)) {
    return { service, account };
  }
  throw malformed(
    "keychain:",
    "Write ${keychain:NAME} or ${keychain:SERVICE/ACCOUNT}; names have letters, digits and any of _ . @ -",
  );
}

function parse1Password(address: string): SecretReference {
  if (/^op:\/\/[^/\s]+(?:\/[^/\n]+){2,3}$/.test(address)) return { kind: "1password", address };
  throw malformed("op://", "Write ${op://VAULT/ITEM/FIELD}.");
}

function parseVault(rest: string): SecretReference {
  const [, path = "", field = ""] = /^([\w./@-]+)#([\w.@-]+)$/.exec(rest) ?? [];
  if (path !== "" && !path.startsWith("-")) return { kind: "vault", path, field };
  throw malformed("vault:", "Write ${vault:PATH#FIELD}.");
}

function parseCommand(rest: string): SecretReference {
  const [program, ...args] = splitCommand(rest) ?? [];
  if (program !== undefined && program !== "") return { kind: "command", program, args };
  throw malformed("command:", "Write ${command:PROGRAM ARGUMENT …}, and close every quote.");
}

function malformed(scheme: string, hint: string): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `A secret reference that begins with "\${${scheme}" is malformed.`, {
    hint,
  });
}
