export const MAX_SERVER_NAME_LENGTH = 40;
export const SERVER_NAME_RULE = `must be 1 to ${MAX_SERVER_NAME_LENGTH} small letters, digits, dashes and underscores, with a letter or digit at both ends`;

/** Whether the value is a valid server name, which is the first part of a tool id. */
export function isServerName(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length <= MAX_SERVER_NAME_LENGTH &&
    /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/.test(value)
  );
}
