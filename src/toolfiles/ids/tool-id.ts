export const LONGEST_TOOL_ID = 80;
export const TOOL_ID_RULE = `must be 1 to ${LONGEST_TOOL_ID} small letters, digits and underscores, and not a device name such as con`;

/** On Windows these names refer to devices, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Whether the value is a valid file name on every platform and cannot refer to another folder. */
export function isToolId(value: unknown): value is string {
  return (
    typeof value === "string" && value.length <= LONGEST_TOOL_ID && /^[a-z0-9_]+$/.test(value) && !DEVICES.test(value)
  );
}
