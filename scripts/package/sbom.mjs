// A software bill of materials (CycloneDX 1.6) of the bundled packages: tools that audit package.json cannot see them.
import { createHash } from "node:crypto";

/**
 * `packages` are those of `bundledPackages` and `inlinedPackages`, `lock` is the parsed package-lock.json, whose integrity values are the
 * hashes of the published archives. The result depends on nothing else: the same inputs give the same bytes.
 */
export function createSbom(root, packages, lock) {
  const rootRef = purl(root);
  const refs = new Map(packages.map((each) => [each.id, purl(each)]));
  const bom = {
    metadata: {
      lifecycles: [{ phase: "build" }],
      component: {
        type: "application",
        "bom-ref": rootRef,
        ...nameAndGroup(root.name),
        version: root.version,
        description: root.description,
        licenses: licenses(root.license),
        purl: rootRef,
      },
    },
    components: packages.map((each) => ({
      type: "library",
      "bom-ref": refs.get(each.id),
      ...nameAndGroup(each.name),
      version: each.version,
      scope: "required",
      hashes: hashes(lock.packages[each.id]?.integrity),
      licenses: licenses(each.license),
      purl: refs.get(each.id),
    })),
    dependencies: [
      { ref: rootRef, dependsOn: [...refs.values()] },
      ...packages.map(({ id, dependsOn }) => ({
        ref: refs.get(id),
        dependsOn: dependsOn.map((other) => refs.get(other)),
      })),
    ],
    // The list of bundled packages is complete; npm installs the package's other dependencies separately.
    compositions: [{ aggregate: "complete", assemblies: [rootRef] }],
  };
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(bom))}`,
    version: 1,
    ...bom,
  };
}

function purl({ name, version }) {
  const encoded = name.split("/").map(encodeURIComponent).join("/");
  return `pkg:npm/${encoded}@${encodeURIComponent(version)}`;
}

function nameAndGroup(name) {
  const [group, ownName] = name.split("/");
  return ownName === undefined ? { name } : { group, name: ownName };
}

function licenses(license) {
  return /[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
}

/** npm writes "sha512-" and base64; CycloneDX wants hexadecimal digits. */
function hashes(integrity) {
  const sha512 = /^sha512-([A-Za-z0-9+/=]+)$/.exec(integrity ?? "")?.[1];
  return sha512 === undefined
    ? undefined
    : [{ alg: "SHA-512", content: Buffer.from(sha512, "base64").toString("hex") }];
}

/** A version 8 UUID (RFC 9562) of the content. */
function uuidOf(content) {
  const bytes = createHash("sha256").update(content).digest().subarray(0, 16);
  bytes[6] = (bytes[6] & 0x0f) | 0x80;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
