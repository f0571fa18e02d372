import type { ImportPage } from "./report.js";

/** The error for a configuration that is a JavaScript or TypeScript module, which the gateway does not change. */
export function toProgramFailure(file: string, page: ImportPage) {
  return {
    code: "CONFIGURATION_ERROR",
    message: `${file} is a JavaScript or TypeScript module, so it was not changed.`,
    hint: `Add these servers to it yourself, or pass another file with --config.${secretsHint(page)}`,
  } as const;
}

function secretsHint({ secrets: { moved, unset, keychain }, written, changes }: ImportPage): string {
  if (keychain.length > 0 && !written)
    return ` Nothing was stored in the keychain. Add ${keychain.join(", ")} to it yourself.`;
  if (unset.length > 0) {
    return ` Set ${unset.join(", ")} to the secrets in the files of the MCP clients, or move the secrets with \`--secrets keychain\` or \`--secrets env\`.`;
  }
  const isDone = written && changes.every(({ failure }) => failure === undefined);
  return moved.length === 0 || isDone ? "" : ` ~/.ai/.env was not written. Add ${moved.join(", ")} to it yourself.`;
}
