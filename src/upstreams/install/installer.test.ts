import { expect, it } from "vitest";
import { installerOf } from "./installer.js";

const words = (line: string): [string, string[]] => {
  const [command = "", ...args] = line.split(" ");
  return [command, args];
};

it.each([
  ["npx -y pkg", "npx", ["pkg"]],
  ["npx pkg@1.2.3 --port 3", "npx", ["pkg@1.2.3"]],
  ["npx --package=a -p b -- cmd", "npx", ["a", "b"]],
  ["npx --registry http://r -y @s/pkg@latest folder", "npx", ["@s/pkg@latest"]],
  ["C:\\node\\NPX.CMD -y pkg", "npx", ["pkg"]],
  ["/usr/bin/npm exec --yes -- pkg", "npm exec", ["pkg"]],
  ["npm x pkg", "npm exec", ["pkg"]],
  ["npm --yes exec pkg", "npm exec", ["pkg"]],
  ["pnpm dlx pkg", "pnpm dlx", ["pkg"]],
  ["pnpm --package=a dlx cmd", "pnpm dlx", ["a"]],
  ["yarn dlx -p a cmd", "yarn dlx", ["a"]],
  ["bunx --bun pkg", "bunx", ["pkg"]],
  ["bun x pkg", "bunx", ["pkg"]],
  ["uvx --from git+https://host/repo tool", "uvx", ["git+https://host/repo"]],
  ["uvx --python 3.12 tool --x", "uvx", ["tool"]],
  ["uv tool run tool", "uvx", ["tool"]],
  ["uv --directory /x run server.py", "uv run", ["server.py"]],
  ["pipx run --spec a app", "pipx run", ["a"]],
  ["docker run -i --rm -e TOKEN -v /a:/b image:1 --flag", "docker run", ["image:1"]],
  ["docker --context x container run --rm image", "docker run", ["image"]],
  ["podman run --name=x image", "podman run", ["image"]],
  ["go run host/mod@latest", "go run", ["host/mod@latest"]],
  ["deno run -A npm:pkg", "deno run", ["npm:pkg"]],
  ["env -u X A=b npx -y pkg", "npx", ["pkg"]],
  ["cmd /c npx -y pkg", "npx", ["pkg"]],
  ["cmd.exe /d /s /c npx.cmd pkg", "npx", ["pkg"]],
  ["nice -n 10 npx -y pkg", "npx", ["pkg"]],
  ["timeout 60 npx -y pkg", "npx", ["pkg"]],
  ["timeout -k 5 60s nice -n 5 uvx tool", "uvx", ["tool"]],
  ["op run --env-file=.env -- npx -y pkg", "npx", ["pkg"]],
  ["doppler run -- npx pkg", "npx", ["pkg"]],
  ["mise exec -- npx pkg", "npx", ["pkg"]],
  ["direnv exec . npx pkg", "npx", ["pkg"]],
  ["sudo -u me npx pkg", "npx", ["pkg"]],
  ["cross-env A=1 npx pkg", "npx", ["pkg"]],
  ["A=1 npx pkg", "npx", ["pkg"]],
  ["nvm exec 20 npx pkg", "npx", ["pkg"]],
  ["conda run -n e npx pkg", "npx", ["pkg"]],
  ["env -S npx -y pkg", "npx", ["pkg"]],
  ["env -i PATH=/x npx pkg", "npx", ["pkg"]],
  ["corepack pnpm dlx pkg", "pnpm dlx", ["pkg"]],
  ["node /usr/lib/node_modules/npm/bin/npx-cli.js -y pkg", "npx", ["pkg"]],
  ["python3 -m uv tool run tool", "uvx", ["tool"]],
])("recognizes %s", (line, tool, packages) => {
  expect(installerOf(...words(line))).toMatchObject({ tool, packages });
});

it.each([
  [["-c", "cd /x && exec npx -y 'pkg' --a"], ["pkg"]],
  [["-lc", 'TOKEN="a b" npx -y "pkg@1"'], ["pkg@1"]],
  [["-e", "-c", "env A=1 npx pkg | tee log"], ["pkg"]],
])("recognizes npx inside a shell: %j", (args, packages) => {
  expect(installerOf("/bin/sh", args)).toMatchObject({ tool: "npx", packages });
});

it.each([
  ["npm install && node x.js", "npm install", []],
  ["cd /x; npm ci --silent; exec node x.js", "npm install", []],
  ["pip install pkg && python -m pkg", "pip install", ["pkg"]],
  ["python3 -m pip install -q pkg && python3 -m pkg", "pip install", ["pkg"]],
])("recognizes the installation before a server: %s", (script, tool, packages) => {
  expect(installerOf("bash", ["-c", script])).toEqual({ tool, packages });
});

it.each([
  "node npx",
  "timeout 60 node npx pkg",
  "op run -- node server.js npx pkg",
  "python -m server npx pkg",
  "./npx-like pkg",
  "npm start",
  "npm run exec",
  "npm test -- exec",
  "pnpm start",
  "yarn start",
  "bun run file.ts",
  "bun server.ts",
  "uv pip install x",
  "pipx list",
  "docker exec -i box server",
  "docker start -i box",
  "docker compose exec box run",
  "go build",
  "sh script.sh npx",
  "npx",
  "constructor run",
  "npm constructor",
])("does not recognize %s as an installer", (line) => {
  expect(installerOf(...words(line))).toBeUndefined();
});

it("reads the cache folder from the --cache option of npx", () => {
  expect(installerOf("npx", ["--cache", "/c", "-y", "pkg"])?.npm).toEqual({ cache: "/c" });
  expect(installerOf("uvx", ["pkg"])?.npm).toBeUndefined();
});
