// TypeScript sources with one `defineConfig` per line: one for each key of the configuration, and one with an unknown key
// for each object in it.

interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly minimum?: number;
}

export interface ConfigSample {
  /** For example `http.oauth.issuer`; lists and maps add nothing to it. */
  readonly path: string;
  readonly config: unknown;
  readonly isKnown: boolean;
}

export function samplesOf(configSchema: object): readonly ConfigSample[] {
  const { definitions } = configSchema as { readonly definitions: { readonly discovery: Schema } };
  return objectSamples(definitions.discovery, "", (value) => value);
}

type Wrap = (value: unknown) => unknown;

function objectSamples(schema: Schema, path: string, wrap: Wrap): ConfigSample[] {
  const least = leastOf(schema);
  const known = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const inner: Wrap = (part) => wrap({ ...least, [key]: part });
    const at = path === "" ? key : `${path}.${key}`;
    return [{ path: at, config: inner(sampleOf(value)), isKnown: true }, ...samplesIn(value, at, inner)];
  });
  return [...known, { path, config: wrap({ ...least, noSuchKey: 1 }), isKnown: false }];
}

/** The samples of every object that a value can be or contain. */
function samplesIn(schema: Schema, path: string, wrap: Wrap): ConfigSample[] {
  const { anyOf = [], oneOf = [], items, properties, additionalProperties: values } = schema;
  if (properties !== undefined) return objectSamples(schema, path, wrap);
  if (items !== undefined) return samplesIn(items, path, (value) => wrap([value]));
  if (typeof values === "object") return samplesIn(values, path, (value) => wrap({ entry: value }));
  return [...anyOf, ...oneOf].flatMap((one) => samplesIn(one, path, wrap));
}

function sampleOf(schema: Schema): unknown {
  const { anyOf, oneOf, items, properties, additionalProperties: values, type } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum.at(-1);
  const [first] = anyOf ?? oneOf ?? [];
  if (first !== undefined) return sampleOf(first);
  if (items !== undefined) return [sampleOf(items)];
  if (properties !== undefined) return leastOf(schema);
  if (type === "object") return { entry: typeof values === "object" ? sampleOf(values) : 1 };
  return { string: "text", boolean: true, integer: 1, number: 0.5 }[type ?? ""] ?? null;
}

function leastOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  return Object.fromEntries(required.map((key) => [key, sampleOf(properties[key] ?? {})]));
}
