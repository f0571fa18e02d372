export const LONGEST_TOOL_ID = 80;
export const TOOL_ID_RULE = `must be 1 to ${LONGEST_TOOL_ID} small letters, digits and underscores, and no name of a device`;

/** With these names Windows opens a device, whatever the extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Whether it can be the name of a file everywhere, and of no other place. */
export function isToolId(value: unknown): value is string {
  return (
    typeof value === "string" && value.length <= LONGEST_TOOL_ID && /^[a-z0-9_]+$/.test(value) && !DEVICES.test(value)
  );
}
