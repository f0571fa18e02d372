// Uses everything that a server offers through the gateway: tools with plausible arguments, resources and prompts.
export const UNAUTHORIZED = "UPSTREAM_UNAUTHORIZED";

/** Returns the error that stopped it, or undefined. */
export async function useEverything(client, { scenario, calls }) {
  const { tools } = await client.listTools();
  let failure;
  for (const call of calls?.map(withoutNulls) ?? toCalls(tools, scenario)) {
    const result = await client.callTool(call).catch((error) => toResult(error));
    if (result.isError) failure ??= toError(result);
    if (failure?.code === UNAUTHORIZED) return failure;
  }
  const { resources } = await client.listResources();
  for (const { uri } of resources) if (!uri.startsWith("anygpt://")) await client.readResource({ uri });
  const { prompts } = await client.listPrompts();
  for (const { name, arguments: args = [] } of prompts) {
    await client.getPrompt({ name, arguments: Object.fromEntries(args.map((one) => [one.name, "text"])) });
  }
  return failure;
}

const toResult = (error) => ({ isError: true, content: [{ type: "text", text: String(error) }] });

function toError({ content }) {
  const message = content.map((item) => item.text ?? "").join("");
  try {
    return JSON.parse(message).error;
  } catch {
    return { message };
  }
}

/** Omits null arguments: the gateway rejects null where the schema requires a value, and a missing argument means the same. */
function withoutNulls({ name, arguments: args }) {
  return { name, arguments: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)) };
}

function toCalls(tools, scenario) {
  const isEcho = (name) => scenario === "json-schema-2020-12-preservation" && name === "json_schema_echo";
  const schemaOf = (name) => tools.find((tool) => tool.name === name)?.inputSchema;
  return tools.map(({ name, inputSchema }) => ({
    name,
    arguments: isEcho(name) ? { schema: schemaOf("json_schema_2020_12_tool") } : toArguments(inputSchema),
  }));
}

const PLAUSIBLE = { string: "text", number: 2, integer: 2, boolean: true, array: [], object: {}, null: null };

function toArguments({ properties = {}, required = [] }) {
  const wanted = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(wanted.map(([name, { type }]) => [name, PLAUSIBLE[type] ?? "text"]));
}
