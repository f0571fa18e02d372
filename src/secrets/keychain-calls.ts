import { DiscoveryError } from "../errors.js";
import type { KeychainItem } from "./reference.js";
import type { ToolCall, ToolResult } from "./run-tool.js";

/**
 * The commands that read and write one platform's keychain. Values are passed on standard input, because other users
 * can list process arguments.
 */
export interface KeychainCalls {
  read(item: KeychainItem): ToolCall;
  write(item: KeychainItem, value: string): ToolCall;
  remove(item: KeychainItem): ToolCall;
  /** True if the keychain itself responded to a `read`, with a value or with "no such entry". */
  isAnswer(result: ToolResult): boolean;
}

/** The exit code of `security` for a missing entry (errSecItemNotFound). */
const NOT_FOUND = 44;

const MACOS: KeychainCalls = {
  read: ({ service, account }) => security(["find-generic-password", "-s", service, "-a", account, "-w"]),
  write: ({ service, account }, value) => ({
    program: "security",
    args: ["-i"],
    // The value is written in hexadecimal, which needs no quoting.
    input: `add-generic-password -U -s ${service} -a ${account} -X ${Buffer.from(value).toString("hex")}\n`,
  }),
  remove: ({ service, account }) => security(["delete-generic-password", "-s", service, "-a", account]),
  isAnswer: (result) => result.kind === "ended" && (result.code === 0 || result.code === NOT_FOUND),
};

const LINUX: KeychainCalls = {
  read: (item) => secretTool(["lookup", ...attributes(item)]),
  write: (item, value) => ({
    ...secretTool(["store", `--label=${item.service} ${item.account}`, ...attributes(item)]),
    input: value,
  }),
  remove: (item) => secretTool(["clear", ...attributes(item)]),
  // `secret-tool` exits with code 1 both for a missing entry and for an unreachable keychain; it writes to standard
  // error only in the second case.
  isAnswer: (result) => result.kind === "ended" && (result.code === 0 || result.stderr.trim() === ""),
};

export function keychainCalls(platform: NodeJS.Platform): KeychainCalls {
  if (platform === "darwin") return MACOS;
  if (platform !== "win32") return LINUX;
  throw new DiscoveryError("CONFIGURATION_ERROR", "The Windows keychain is not supported.", {
    hint: "Use ${op://VAULT/ITEM/FIELD}, ${vault:PATH#FIELD}, ${command:PROGRAM ARGUMENT …} or a variable instead.",
  });
}

function security(args: readonly string[]): ToolCall {
  return { program: "security", args };
}

function secretTool(args: readonly string[]): ToolCall {
  return { program: "secret-tool", args };
}

function attributes({ service, account }: KeychainItem): string[] {
  return ["service", service, "account", account];
}
