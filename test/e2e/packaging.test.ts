import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { parseConfig } from "../../src/config/load.js";
import { parseDockerfile } from "../../packaging/try-dockerfile.mjs";
import { type CliPlace, createCliPlace } from "../support/cli.js";
import { ROOT } from "../support/gateway.js";

const read = (file: string): string => readFileSync(join(ROOT, "packaging", file), "utf8");
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  name: string;
  version: string;
  mcpName?: string;
};
const tarball = `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;

describe("the Dockerfile", () => {
  const instructions = parseDockerfile(read("Dockerfile"));
  const last = instructions.slice(instructions.findLastIndex(({ name }) => name === "FROM"));
  const textOf = (name: string): string | undefined => last.findLast((one) => one.name === name)?.text;

  it("builds in two stages on images of one version", () => {
    const images = instructions.filter(({ name }) => name === "FROM").map(({ words }) => words[0]);
    expect(images).toHaveLength(2);
    for (const image of images) expect(image).toMatch(/^node:20\.\d+-slim$/);
  });

  it("installs this version of the package", () => {
    expect(read("Dockerfile").match(/anygpt-discovery-[\d.]+\.tgz/g)).toEqual([tarball, tarball, tarball]);
  });

  it("runs as an unprivileged user, keeps its state in a volume and has a health check", () => {
    expect(textOf("USER")).toBe("node");
    expect(textOf("VOLUME")).toBe("/var/lib/anygpt");
    expect(last.filter(({ name }) => name === "ENV").map(({ text }) => text)).toContain("ANYGPT_HOME=/var/lib/anygpt");
    expect(textOf("HEALTHCHECK")).toContain(`http://127.0.0.1:${textOf("EXPOSE")}/healthz`);
    expect(textOf("ENTRYPOINT")).toContain("bin/discovery.js");
  });

  it("is built by compose, with a configuration that loads", () => {
    const { services } = parseYaml(read("compose.yaml")) as { services: { gateway: Record<string, unknown> } };
    const { gateway } = services;
    expect(gateway["image"]).toBe(`anygpt-discovery:${manifest.version}`);
    expect(gateway["read_only"]).toBe(true);
    const config = parseConfig(parseYaml(read("gateway.config.yaml")) as object);
    expect(config.http).toMatchObject({ publicUrl: "https://tools.example.com", tokens: [{ name: "ci" }] });
  });
});

describe("server.json", () => {
  const described = JSON.parse(read("server.json")) as Record<string, unknown> & {
    packages: Record<string, unknown>[];
  };

  it("describes this version of the package within the limits of the registry", () => {
    expect(described["$schema"]).toMatch(/\/schemas\/\d{4}-\d{2}-\d{2}\/server\.schema\.json$/);
    expect(described["name"]).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(manifest.mcpName ?? described["name"]).toBe(described["name"]);
    expect(String(described["description"]).length).toBeLessThanOrEqual(100);
    expect(described["version"]).toBe(manifest.version);
    expect(described.packages).toMatchObject([
      { registryType: "npm", identifier: manifest.name, version: manifest.version, transport: { type: "stdio" } },
    ]);
  });
});

describe("the service definitions", () => {
  it("run with few privileges under systemd and log in JSON", () => {
    const sections = parseUnit(read("systemd/anygpt-discovery.service"));
    expect(Object.keys(sections)).toEqual(["Unit", "Service", "Install"]);
    expect(sections["Service"]).toMatchObject({
      DynamicUser: ["yes"],
      NoNewPrivileges: ["yes"],
      ProtectSystem: ["strict"],
      StateDirectory: ["anygpt"],
      // `start-signals.test.ts` runs it.
      ExecReload: [expect.stringMatching(/; kill -HUP \$MAINPID'$/)],
    });
    expect(sections["Service"]?.["ExecStart"]?.[0]).toContain("discovery --http --log-format json");
    expect(sections["Service"]?.["Environment"]).toContain("ANYGPT_HOME=/var/lib/anygpt");
    // A JIT compiler needs memory that is writable and executable.
    expect(sections["Service"]).not.toHaveProperty("MemoryDenyWriteExecute");
    expect(read("systemd/anygpt-discovery.service")).toContain(`${manifest.name}@${manifest.version}`);
  });

  it.runIf(existsSync("/usr/bin/systemd-analyze"))("are units that systemd accepts", () => {
    const unit = join(ROOT, "packaging/systemd/anygpt-discovery.service");
    const verify = ["verify", "--man=no", unit];
    expect(() => execFileSync("/usr/bin/systemd-analyze", verify, { stdio: "pipe" })).not.toThrow();
  });

  it("run under launchd", () => {
    const text = read("launchd/io.github.anygpt.discovery.plist");
    const plist = parsePlist(text) as Record<string, unknown>;
    expect(plist).toMatchObject({
      Label: "io.github.anygpt.discovery",
      ProgramArguments: ["/usr/local/bin/discovery", "--http", "--log-format", "json"],
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
    });
    expect(text).toContain(`${manifest.name}@${manifest.version}`);
  });
});

describe("the proxy examples", () => {
  it("disable buffering in nginx", () => {
    const [zone, upstream, server] = parseBlocks(read("proxies/nginx.conf"));
    expect(zone?.words[0]).toBe("limit_req_zone");
    expect(upstream?.children.map(({ words }) => words.join(" "))).toContain("server 127.0.0.1:7332");
    const location = server?.children.find(({ words }) => words.join(" ") === "location /");
    const directives = location?.children.map(({ words }) => words.join(" "));
    expect(directives).toEqual(
      expect.arrayContaining(["proxy_pass http://anygpt", "proxy_buffering off", "proxy_set_header Host $host"]),
    );
  });

  it("disable buffering in Caddy, with balanced blocks", () => {
    const text = read("proxies/Caddyfile");
    expect(text.match(/\{$/gm)?.length).toBe(text.match(/^\s*\}$/gm)?.length);
    expect(text).toMatch(/reverse_proxy 127\.0\.0\.1:7332 \{\n(?:.*\n)*?\t\tflush_interval -1\n/);
  });
});

describe("the client examples", () => {
  let place: CliPlace | undefined;
  afterEach(() => place?.remove());
  const files = readdirSync(join(ROOT, "packaging/clients")).filter((file) => !file.startsWith("remote."));

  it("cover the most common clients", () => {
    const names = files.map((file) => file.split(".")[0]);
    expect(names).toEqual(
      expect.arrayContaining(["claude-code", "claude-desktop", "codex", "cursor", "vscode", "windsurf", "zed"]),
    );
  });

  it.each(files)("%s is valid for its client and starts this gateway", async (file) => {
    place = createCliPlace();
    const path = place.write(`files/${FILE_NAMES[file] ?? file}`, read(`clients/${file}`));
    const sources = [{ type: file.split(".")[0], path }];
    const config = place.write("config.json", { sources });
    const ran = await place.run("mcp", "config", "sources", "--config", config, "--json");
    expect(ran.exit).toBe(0);
    expect(ran.json()).toMatchObject({
      sources: [{ path, status: "ok", servers: 0, skipped: [{ name: "anygpt", kind: "gateway" }] }],
    });
    const listed = await place.run("mcp", "list", "--config", config, "--json");
    expect(listed.json()).toMatchObject({ servers: [] });
  });

  it("refer to a remote gateway with a token from a variable", () => {
    const { mcpServers } = JSON.parse(read("clients/remote.json")) as { mcpServers: { anygpt: object } };
    expect(mcpServers.anygpt).toEqual({
      type: "http",
      url: "https://tools.example.com/mcp",
      headers: { Authorization: "Bearer ${ANYGPT_TOKEN}" },
    });
  });
});

/** Files whose name determines the parser. */
const FILE_NAMES: Readonly<Record<string, string>> = { "vscode.json": "mcp.json", "continue.yaml": "config.yaml" };

/** Parses sections of `Key=value`; a key may occur several times. */
function parseUnit(text: string): Record<string, Record<string, string[]>> {
  const sections: Record<string, Record<string, string[]>> = {};
  let section: Record<string, string[]> = {};
  for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
    const name = /^\[(\w+)\]$/.exec(line)?.[1];
    if (name !== undefined) {
      section = sections[name] = {};
      continue;
    }
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined) throw new Error(`Not a line of a unit file: ${line}`);
    (section[key] ??= []).push(value);
  }
  return sections;
}

/** Parses the subset of property lists that the example uses. */
function parsePlist(text: string): unknown {
  const body = text.replace(/<\?[^>]*\?>|<!DOCTYPE[^>]*>|<!--[\s\S]*?-->/g, "");
  const tokens = [...body.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>|([^<]+)/g)].filter(([whole]) => whole.trim() !== "");
  let at = 0;
  const next = () => tokens[at++] ?? [];
  const leave = (name: string): void => {
    const [whole, isEnd, ended] = next();
    if (!isEnd || ended !== name) throw new Error(`Not the end of ${name}: ${whole}`);
  };
  const value = (): unknown => {
    const [whole, isEnd, name, isEmpty] = next();
    if (isEnd || name === undefined) throw new Error(`No value: ${whole}`);
    if (isEmpty) return name === "true";
    if (name === "string" || name === "integer") {
      const [content = ""] = next();
      leave(name);
      return name === "integer" ? Number(content) : content;
    }
    const items: unknown[] = [];
    while (tokens[at]?.[1] !== "/") {
      if (tokens[at]?.[2] !== "key") items.push(value());
      else {
        next();
        items.push(next()[0]);
        next();
      }
    }
    leave(name);
    if (name !== "dict") return items;
    return Object.fromEntries(items.flatMap((item, index) => (index % 2 === 0 ? [[item, items[index + 1]]] : [])));
  };
  if (next()[2] !== "plist") throw new Error("Not a property list.");
  return value();
}

interface Directive {
  readonly words: readonly string[];
  readonly children: readonly Directive[];
}

/** Parses nginx configuration: words, then `;` or a block. */
function parseBlocks(text: string): Directive[] {
  const tokens = text.replace(/#.*$/gm, "").match(/[{};]|"[^"]*"|[^\s{};]+/g) ?? [];
  let at = 0;
  const block = (isInner: boolean): Directive[] => {
    const found: Directive[] = [];
    let words: string[] = [];
    for (; at < tokens.length; at += 1) {
      const token = tokens[at] ?? "";
      if (token === "}") {
        if (!isInner || words.length > 0) throw new Error("Unexpected end of a block.");
        return found;
      }
      if (token === ";" || token === "{") {
        at += token === "{" ? 1 : 0;
        found.push({ words, children: token === "{" ? block(true) : [] });
        words = [];
      } else words.push(token);
    }
    if (isInner || words.length > 0) throw new Error("Missing end of a block.");
    return found;
  };
  return block(false);
}
