import { describe, expect, it } from "vitest";
import { expectLinear, flat } from "../../test/support/cost.js";
import { createPlaceholders, escapeText, type PlaceholderSyntax, type PlaceholderContext } from "./placeholders.js";

const SYSTEM = { platform: "linux", home: "/home/me", cwd: "/app", env: {} };

function create(dialect: PlaceholderSyntax, more: Partial<PlaceholderContext> = {}) {
  return createPlaceholders({ dialect, system: SYSTEM, workspace: "/app", inputs: new Map(), ...more });
}

describe("a placeholder", () => {
  it.each<[PlaceholderSyntax, string, string]>([
    ["code", "plain", "plain"],
    ["code", "${env:TOKEN}", "${TOKEN}"],
    ["code", "Bearer ${TOKEN} ${B:-x}", "Bearer ${TOKEN} ${B:-x}"],
    ["code", "${A:-${env:B}}", "${A:-${B}}"],
    ["code", "${A:-}", "${A:-}"],
    ["code", "${workspaceFolder}/x", "/app/x"],
    ["code", "${workspaceFolder:web}${/}${workspaceFolderBasename}", "/app/app"],
    ["code", "${userHome}${pathSeparator}.x", "/home/me/.x"],
    ["code", "${command:pick}", "${COMMAND_PICK}"],
    ["code", "${env:ProgramFiles(x86)}", "${PROGRAMFILES_X86}"],
    ["code", "${file:/run/secrets/key}", "${FILE_KEY}"],
    ["code", "${", "$${"],
    ["code", "pa$${word", "pa$$${word"],
    ["code", "${unclosed", "$${unclosed"],
    ["code", "${}", "${_}"],
    ["code", "$HOME {env:A} 5$", "$HOME {env:A} 5$"],
    ["code", '${J:-{"a":1}}', "${J}"],
    ["none", "${A} ${env:B} ${workspaceFolder} ${input:c} $D", "${A} $${env:B} $${workspaceFolder} $${input:c} $D"],
    ["none", 'for f in *; do echo "${f%.*}"; done', 'for f in *; do echo "$${f%.*}"; done'],
    ["prefixed", "${env:A} ${env:B:-x} ${input:c} ${file:/k}", "${A} ${B:-x} ${INPUT_C} ${FILE_K}"],
    ["prefixed", "${config:x.y} ${command:pick}", "${CONFIG_X_Y} ${COMMAND_PICK}"],
    ["prefixed", "${workspaceFolder}${/}${userHome}", "/app//home/me"],
    ["prefixed", "${A} ${B:-x} ${f%.*} ${env:}", "${A} ${B:-x} $${f%.*} $${env:}"],
    ["prefixed", "${A:-${env:B}}", "${A:-${B}}"],
    ["gemini", "$A/${B}/$1", "${A}/${B}/$1"],
    ["opencode", "x{env:A}{file:~/k.pem}{other}", "x${A}${FILE_K_PEM}{other}"],
    ["continue", "Bearer ${{ secrets.my-org/docs/DOCS_KEY }}", "Bearer ${DOCS_KEY}"],
    ["continue", "${{ inputs.region }}", "${region}"],
  ])("in the syntax %s: %j becomes %j", (dialect, text, expected) => {
    expect(create(dialect).translate(text)).toBe(expected);
  });

  it.each<[PlaceholderSyntax, string, string]>([
    ["none", "echo ${A}_x $B ${C:-d} ${f%.*}", "echo ${A:-$${A}}_x $B ${C:-d} $${f%.*}"],
    ["prefixed", "${A} ${env:B} ${workspaceFolder}", "${A:-$${A}} ${B} /app"],
    ["gemini", "$A ${B}", "${A:-$A} ${B:-$${B}}"],
    ["code", "${A}", "${A}"],
  ])("in a shell script, in the syntax %s: %j becomes %j", (dialect, text, expected) => {
    expect(create(dialect).translate(text, true)).toBe(expected);
  });

  it.each<[PlaceholderSyntax, string, string]>([
    ["none", "${keychain:NOTION}", "the keychain"],
    ["prefixed", "${keychain:NOTION}", "the keychain"],
    ["code", "${keychain:NOTION}", "the keychain"],
    ["none", "${op://Private/Notion/token}", "secrets"],
    ["gemini", "${vault:secret/notion#token}", "secrets"],
    ["none", "${command:pass notion}", "secrets"],
  ])("for a secret, in the syntax %s: %s becomes a variable with a reason", (dialect, text, what) => {
    const placeholders = create(dialect);
    expect(placeholders.translate(text)).toMatch(/^\$\{[A-Z_]+\}$/);
    const reason = `references to ${what} are only resolved in your own configuration`;
    expect(placeholders.needs()).toMatchObject([{ description: `replaces ${text}: ${reason}` }]);
    expect(placeholders.notes()[0]).toContain(`${text} was not resolved: ${reason}.`);
  });

  it("for an input includes the description of the input", () => {
    const inputs = new Map([
      ["api-key", { id: "api-key", isPassword: true, description: "Key" }],
      ["region", { id: "region", isPassword: false, fallback: "eu" }],
      ["odd", { id: "odd", isPassword: false, fallback: "a}b" }],
    ]);
    const placeholders = create("code", { inputs });
    expect(placeholders.translate("${input:api-key} ${input:region} ${input:odd} ${input:unknown}")).toBe(
      "${INPUT_API_KEY} ${INPUT_REGION:-eu} ${INPUT_ODD} ${INPUT_UNKNOWN}",
    );
    expect(placeholders.variables()).toEqual([
      {
        name: "INPUT_API_KEY",
        hasDefault: false,
        input: { id: "api-key", isPassword: true, description: "Key" },
      },
      { name: "INPUT_REGION", hasDefault: true, input: { id: "region", isPassword: false } },
      { name: "INPUT_ODD", hasDefault: false, input: { id: "odd", isPassword: false } },
      { name: "INPUT_UNKNOWN", hasDefault: false, input: { id: "unknown", isPassword: false } },
    ]);
    expect(placeholders.notes()[0]).toBe(
      'The environment variable INPUT_API_KEY replaces the input "api-key", a password.',
    );
  });

  it("with a default in one place and none in another is required", () => {
    const placeholders = create("code");
    placeholders.translate("${A:-x} ${A}");
    expect(placeholders.variables()).toEqual([{ name: "A", hasDefault: false }]);
  });

  it("with deep nesting loses the innermost defaults", () => {
    const text = `${"${A:-".repeat(50)}${"}".repeat(50)}`;
    expect(create("code").translate(text)).toBe(`${"${A:-".repeat(6)}\${A}${"}".repeat(6)}`);
  });

  it("takes linear time for unclosed openings", async () => {
    await expectLinear((count) => {
      const [placeholders, text] = [create("code"), flat("${".repeat(count))];
      return () => placeholders.translate(text);
    }, 4_096);
  });

  it("uses the path separator of Windows", () => {
    const system = { platform: "win32", home: "C:\\Users\\me", cwd: "D:\\app", env: {} };
    const { translate } = create("code", { system, workspace: "D:\\app" });
    expect(translate("${workspaceFolder}${/}${workspaceFolderBasename}")).toBe("D:\\app\\app");
  });
});

it("escapeText returns a text without variables", () => {
  expect(escapeText("a${B}$C")).toBe("a$${B}$C");
});
