import { describe, expect, it } from "vitest";
import { expectLinear, flat } from "../../test/support/cost.js";
import { parseDotenv } from "./dotenv.js";

const values = (text: string) => Object.fromEntries(parseDotenv(text).values);
const faults = (text: string) => parseDotenv(text).faults.map(({ line, reason }) => `${line} ${reason}`);

describe("parseDotenv", () => {
  it.each<[string, string, Record<string, string>]>([
    ["an empty file", "", {}],
    ["plain", "K=v", { K: "v" }],
    ["several", "A=1\nB=2\n", { A: "1", B: "2" }],
    ["spaces around", " \tK = v \t", { K: "v" }],
    ["spaces inside", "K=a  b", { K: "a  b" }],
    ["export", "export K=v", { K: "v" }],
    ["export with tabs", "export\tK=v", { K: "v" }],
    ["a variable called export", "export=v", { export: "v" }],
    ["lower case, digits, dots and dashes", "a_1.b-c=v", { "a_1.b-c": "v" }],
    ["an empty value", "K=", { K: "" }],
    ["an empty value before another line", "K=\nL=1", { K: "", L: "1" }],
    ["an empty quoted value", `K=""\nL=''`, { K: "", L: "" }],
    ["double quotes", 'K="a b"', { K: "a b" }],
    ["single quotes", "K='a b'", { K: "a b" }],
    ["back quotes", "K=`a b`", { K: "a b" }],
    ["quotes in other quotes", `A="it's"\nB='say "x"'\nC=\`'"\``, { A: "it's", B: 'say "x"', C: `'"` }],
    ["quotes inside a plain value", `K=it's "so"`, { K: `it's "so"` }],
    ["several lines in double quotes", 'K="a\n b\n"\nL=1', { K: "a\n b\n", L: "1" }],
    ["several lines in single quotes", "K='a\nb'\nL=1", { K: "a\nb", L: "1" }],
    ["an assignment inside quotes", 'K="\nA=1\n"', { K: "\nA=1\n" }],
    ["a key in PEM", 'K="-----BEGIN\nabc==\n-----END"', { K: "-----BEGIN\nabc==\n-----END" }],
    ["escapes in double quotes", String.raw`K="a\nb\rc\td\"e\\f\$g"`, { K: 'a\nb\rc\td"e\\f$g' }],
    ["an unknown escape", String.raw`K="\d+\w"`, { K: String.raw`\d+\w` }],
    ["no escapes in single quotes", String.raw`K='a\nb'`, { K: String.raw`a\nb` }],
    ["no escapes without quotes", String.raw`K=C:\new`, { K: String.raw`C:\new` }],
    ["JSON in single quotes", `K='{"a": 1}'`, { K: '{"a": 1}' }],
    ["a comment line", "# K=1\n  # L=2", {}],
    ["a comment after a value", "K=v # w", { K: "v" }],
    ["a comment after quotes", 'K="v" # w', { K: "v" }],
    ["a comment instead of a value", "K=# w", { K: "" }],
    ["a hash in quotes", `A="a#b"\nB='#'`, { A: "a#b", B: "#" }],
    ["CRLF", 'A=1\r\nB="x\r\ny"\r\n', { A: "1", B: "x\ny" }],
    ["a lone CR", "A=1\rB=2", { A: "1", B: "2" }],
    ["a byte order mark", "\uFEFFA=1", { A: "1" }],
    ["an equals sign in the value", "K=a=b==", { K: "a=b==" }],
    ["the last of two", "K=1\nK=2", { K: "2" }],
    ["no expansion", 'A=1\nB=$A\nC=${A}\nD="${A}"', { A: "1", B: "$A", C: "${A}", D: "${A}" }],
    ["no command", 'A=$(id)\nB=`id`\nC="$(id)"', { A: "$(id)", B: "id", C: "$(id)" }],
    ["letters beyond ASCII", "K=schön 🦊", { K: "schön 🦊" }],
    [
      "names of object properties",
      "__proto__=1\nconstructor=2\ntoString=3",
      Object.fromEntries([
        ["__proto__", "1"],
        ["constructor", "2"],
        ["toString", "3"],
      ]),
    ],
    ["blank lines", "\n\n \t\nA=1\n\n", { A: "1" }],
  ])("parses %s", (_, text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  it.each<[string, string, Record<string, string>, string[]]>([
    [
      "a line without an equals sign",
      "A=1\ns3cret\nB=2",
      { A: "1", B: "2" },
      ["2 is not an assignment and was ignored"],
    ],
    ["a name that starts with a digit", "1A=x", {}, ["1 is not an assignment and was ignored"]],
    ["no name", "=s3cret", {}, ["1 is not an assignment and was ignored"]],
    ["a name with a space", "A B=s3cret", {}, ["1 is not an assignment and was ignored"]],
    ["export alone", "export A", {}, ["1 is not an assignment and was ignored"]],
    [
      "an unclosed double quote",
      'A="s3cret\nB=2',
      { B: "2" },
      ["1 opens a quote for A and does not close it; it was ignored"],
    ],
    [
      "an unclosed single quote",
      "A='s3cret\nB=2",
      { B: "2" },
      ["1 opens a quote for A and does not close it; it was ignored"],
    ],
    ["text after a quote", 'A="x"s3cret\nB=2', { B: "2" }, ["1 has text after the closing quote of A and was ignored"]],
    ["a name set twice", "A=1\n\nA=s3cret", { A: "s3cret" }, ["3 sets A again; the last value is used"]],
    [
      "a hash inside an unquoted value",
      "A=abc#s3cret",
      { A: "abc" },
      ["1 has a comment right after a value; put the value in quotes if the # belongs to it"],
    ],
    [
      "lines after a value of several lines",
      'A="x\ny"\nrubbish',
      { A: "x\ny" },
      ["3 is not an assignment and was ignored"],
    ],
  ])("reports %s, and continues", (_, text, expected, reported) => {
    expect(values(text)).toEqual(expected);
    expect(faults(text)).toEqual(reported);
    expect(faults(text).join()).not.toContain("s3cret");
  });

  it.each([`A="\\`, `A='\nB="\n`])(
    "reads open quotes %j in time that is proportional to their number",
    async (piece) => {
      await expectLinear((size) => {
        const text = flat(piece.repeat(size));
        return () => parseDotenv(text);
      }, 5_000);
    },
  );
});
