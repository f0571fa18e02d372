export const MAX_TOOL_ID_LENGTH = 80;
export const TOOL_ID_RULE = `must be 1 to ${MAX_TOOL_ID_LENGTH} small letters, digits and underscores, and not a device name such as con`;

/** File names that refer to devices on Windows, whatever their extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * Whether the value is a valid tool id: a file name that is valid on every platform and cannot refer to another folder.
 */
export function isToolId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length <= MAX_TOOL_ID_LENGTH &&
    /^[a-z0-9_]+$/.test(value) &&
    !DEVICES.test(value)
  );
}
