export const LONGEST_SERVER_NAME = 40;
export const SERVER_NAME_RULE = `must be 1 to ${LONGEST_SERVER_NAME} small letters, digits, dashes and underscores, with a letter or digit at both ends`;

/** Whether the value can be the first part of a tool id. */
export function isServerName(value: unknown): value is string {
  return (
    typeof value === "string" && value.length <= LONGEST_SERVER_NAME && /^[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?$/.test(value)
  );
}
