// A small npm registry on loopback: packages of the test, whose downloads can be delayed.
import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

export interface PublishedPackage {
  readonly name: string;
  readonly version?: string;
  readonly manifest?: object;
  readonly files: Readonly<Record<string, string>>;
}

export interface NpmRegistry {
  readonly url: string;
  /** The names of the packages whose tarballs were requested, in order. */
  readonly downloads: string[];
  /** Downloads of this package wait until `release`. */
  hold(name: string): void;
  /** Releases all waiting and future downloads. */
  release(): void;
  publish(pack: PublishedPackage): void;
  close(): Promise<void>;
}

export async function openNpmRegistry(packages: readonly PublishedPackage[]): Promise<NpmRegistry> {
  const versions = new Map<string, Map<string, { manifest: object; tarball: Buffer }>>();
  const held = new Set<string>();
  const waiting: (() => void)[] = [];
  const downloads: string[] = [];

  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://x").pathname).slice(1);
    const isLatest = path.endsWith("/latest");
    const [name = "", file] = path.replace(/\/latest$/u, "").split("/-/");
    const known = versions.get(name);
    if (known === undefined) return answer(response, 404, { error: "Not found" });
    if (isLatest) return answer(response, 200, Object.values(packument(name, known, url).versions).at(-1) ?? {});
    if (file === undefined) return answer(response, 200, packument(name, known, url));
    downloads.push(name);
    const send = (): void => void response.end(known.get(/-(\d+\.\d+\.\d+)\.tgz$/.exec(file)?.[1] ?? "")?.tarball);
    if (held.has(name)) waiting.push(send);
    else send();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function publish({ name, version = "1.0.0", manifest = {}, files }: PublishedPackage): void {
    const whole = { name, version, ...manifest };
    const tarball = packTarball({ "package.json": JSON.stringify(whole), ...files });
    const all = versions.get(name) ?? new Map<string, { manifest: object; tarball: Buffer }>();
    versions.set(name, all.set(version, { manifest: whole, tarball }));
  }
  packages.forEach(publish);

  return {
    url,
    downloads,
    publish,
    hold: (name) => void held.add(name),
    release() {
      held.clear();
      for (const send of waiting.splice(0)) send();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function packument(name: string, known: ReadonlyMap<string, { manifest: object; tarball: Buffer }>, url: string) {
  const versions = Object.fromEntries(
    [...known].map(([version, { manifest, tarball }]) => [
      version,
      {
        ...manifest,
        dist: {
          tarball: `${url}/${name}/-/${name.split("/").at(-1)}-${version}.tgz`,
          integrity: `sha512-${createHash("sha512").update(tarball).digest("base64")}`,
        },
      },
    ]),
  );
  return { name, "dist-tags": { latest: [...known.keys()].at(-1) }, versions };
}

function answer(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** The files in a gzipped ustar archive, below `package/` as npm requires. */
function packTarball(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const content = Buffer.from(text);
    return [header(`package/${name}`, content.length), content, Buffer.alloc(-content.length & 511)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, at: number, width: number): number =>
    block.write(value.toString(8).padStart(width - 1, "0"), at);
  block.write(name, 0);
  octal(0o755, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write("        0", 148);
  block.write("ustar\u000000", 257);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  );
  return block;
}
