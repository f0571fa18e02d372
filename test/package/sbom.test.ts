import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/gateway.js";

interface Component {
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}
interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly compositions: readonly { readonly assemblies: readonly string[] }[];
}
interface Package {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependsOn: readonly string[];
}
interface Sbom {
  createSbom(root: object, packages: readonly Package[], lock: object): Bom;
}

const DIST = join(ROOT, "dist");
const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
const bom = readJson(join(DIST, "sbom.cdx.json")) as Bom;
const lock = readJson(join(ROOT, "package-lock.json")) as {
  packages: Record<string, { version: string; integrity: string }>;
};

/** The rules of the CycloneDX 1.6 schema for the used fields; other fields are not used. */
const LICENSES = {
  type: "array",
  minItems: 1,
  items: {
    oneOf: [
      {
        type: "object",
        required: ["license"],
        additionalProperties: false,
        properties: {
          license: {
            type: "object",
            required: ["id"],
            additionalProperties: false,
            // SPDX identifiers of the licences of bundled packages; look a new one up in the SPDX list.
            properties: { id: { enum: ["Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"] } },
          },
        },
      },
      {
        type: "object",
        required: ["expression"],
        additionalProperties: false,
        properties: { expression: { type: "string" } },
      },
    ],
  },
};
const COMPONENT = {
  type: "object",
  required: ["type", "name", "version", "bom-ref", "purl", "licenses"],
  additionalProperties: false,
  properties: {
    type: { enum: ["application", "library"] },
    "bom-ref": { type: "string", minLength: 1 },
    group: { type: "string", pattern: "^@" },
    name: { type: "string", minLength: 1 },
    version: { type: "string", maxLength: 1024 },
    description: { type: "string" },
    scope: { enum: ["required", "optional", "excluded"] },
    hashes: {
      type: "array",
      items: {
        type: "object",
        required: ["alg", "content"],
        additionalProperties: false,
        properties: { alg: { const: "SHA-512" }, content: { type: "string", pattern: "^[a-f0-9]{128}$" } },
      },
    },
    licenses: LICENSES,
    purl: { type: "string", pattern: "^pkg:npm/(?:%40[a-z0-9._-]+/)?[a-z0-9._-]+@[0-9][0-9A-Za-z.%+-]*$" },
  },
};
const SCHEMA = {
  type: "object",
  required: ["bomFormat", "specVersion"],
  additionalProperties: false,
  properties: {
    $schema: { const: "http://cyclonedx.org/schema/bom-1.6.schema.json" },
    bomFormat: { const: "CycloneDX" },
    specVersion: { const: "1.6" },
    serialNumber: {
      type: "string",
      pattern: "^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    },
    version: { type: "integer", minimum: 1 },
    metadata: {
      type: "object",
      required: ["component"],
      additionalProperties: false,
      properties: {
        lifecycles: { type: "array", items: { type: "object", properties: { phase: { const: "build" } } } },
        component: COMPONENT,
      },
    },
    components: { type: "array", minItems: 1, uniqueItems: true, items: COMPONENT },
    dependencies: {
      type: "array",
      uniqueItems: true,
      items: {
        type: "object",
        required: ["ref"],
        additionalProperties: false,
        properties: {
          ref: { type: "string" },
          dependsOn: { type: "array", uniqueItems: true, items: { type: "string" } },
        },
      },
    },
    compositions: {
      type: "array",
      items: {
        type: "object",
        required: ["aggregate"],
        additionalProperties: false,
        properties: { aggregate: { const: "complete" }, assemblies: { type: "array", items: { type: "string" } } },
      },
    },
  },
};

const fullName = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);

/** Never published separately: a part of the repository of the SDK's client and server. */
const PARTS_OF_OTHERS = ["@modelcontextprotocol/core-internal"];
/** Packages inside the SDK's own files, according to its source maps; the lockfile does not list these. */
const INLINED = ["@cfworker/json-schema@4.1.1", "content-type@1.0.5"];

/** Packages in the source maps of the bundle, which esbuild writes separately from its metafile. */
function packagesInSourceMaps(): string[] {
  const maps = readdirSync(DIST, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".map"));
  const sources = maps.flatMap((name) => (readJson(join(DIST, name)) as { sources: string[] }).sources);
  const names = sources
    .filter((source) => !source.includes("/.pnpm/"))
    .flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
  return [...new Set(names)].filter((name) => !PARTS_OF_OTHERS.includes(name));
}

describe("the bill of materials", () => {
  it("follows the CycloneDX 1.6 schema", () => {
    const { errors } = new Validator(SCHEMA as ConstructorParameters<typeof Validator>[0], "2020-12").validate(bom);
    expect(errors).toEqual([]);
  });

  it("describes this version of the package", () => {
    const { name, version } = readJson(join(ROOT, "package.json")) as { name: string; version: string };
    expect(fullName(bom.metadata.component)).toBe(name);
    expect(bom.metadata.component.version).toBe(version);
  });

  it("names exactly the packages whose code is in the bundle", () => {
    const locked = packagesInSourceMaps().map((name) => `${name}@${lock.packages[`node_modules/${name}`]?.version}`);
    const named = bom.components.map((component) => `${fullName(component)}@${component.version}`);
    expect(named.sort()).toEqual([...locked, ...INLINED].sort());
  });

  it("gives the checksum of the lockfile for every component that npm installs", () => {
    for (const component of bom.components) {
      if (INLINED.includes(`${fullName(component)}@${component.version}`)) continue;
      const [hash] = component.hashes ?? [];
      const integrity = `sha512-${Buffer.from(hash?.content ?? "", "hex").toString("base64")}`;
      const versions = Object.entries(lock.packages).filter(([path]) =>
        path.endsWith(`node_modules/${fullName(component)}`),
      );
      expect(versions.map(([, locked]) => locked.integrity)).toContain(integrity);
    }
  });

  it("refers only to components that it lists, each listed once", () => {
    const refs = [bom.metadata.component, ...bom.components].map((component) => component["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    expect(bom.dependencies.map(({ ref }) => ref).sort()).toEqual([...refs].sort());
    for (const { dependsOn } of bom.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref);
    for (const { assemblies } of bom.compositions) for (const ref of assemblies) expect(refs).toContain(ref);
  });

  it("writes licence expressions, omits unknown checksums, and has the same bytes for the same content", async () => {
    const script = new URL("../../scripts/package/sbom.mjs", import.meta.url).href;
    const { createSbom } = (await import(script)) as Sbom;
    const root = { name: "@a/b", version: "1.0.0", description: "c", license: "MIT" };
    const id = "node_modules/@x/y";
    const packages = [{ id, name: "@x/y", version: "2.0.0-rc.1", license: "(MIT OR ISC)", dependsOn: [] }];
    const create = (version: string): string =>
      JSON.stringify(createSbom({ ...root, version }, packages, { packages: {} }));
    expect(JSON.parse(create("1.0.0")).components).toEqual([
      {
        type: "library",
        "bom-ref": "pkg:npm/%40x/y@2.0.0-rc.1",
        group: "@x",
        name: "y",
        version: "2.0.0-rc.1",
        scope: "required",
        licenses: [{ expression: "(MIT OR ISC)" }],
        purl: "pkg:npm/%40x/y@2.0.0-rc.1",
      },
    ]);
    expect(create("1.0.0")).toBe(create("1.0.0"));
    expect(JSON.parse(create("1.0.1")).serialNumber).not.toBe(JSON.parse(create("1.0.0")).serialNumber);
  });
});
