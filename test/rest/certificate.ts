import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A key and a certificate for it, made on the spot. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface Issuer extends Certificate {
  issue(names: { readonly dns?: readonly string[]; readonly ip?: string }, validity?: [Date, Date]): Certificate;
}

const VALID: [Date, Date] = [new Date("2020-01-01T00:00:00Z"), new Date("2049-01-01T00:00:00Z")];
const EXPIRED: [Date, Date] = [new Date("2020-01-01T00:00:00Z"), new Date("2021-01-01T00:00:00Z")];

export { EXPIRED };

/** An authority of one's own. */
export function createIssuer(): Issuer {
  const own = keyPair();
  const name = nameOf("Test Authority");
  const cert = certify({ subject: name, issuer: name, key: own, by: own, validity: VALID, extensions: [authority()] });
  return {
    ...toPem(own, cert),
    issue(names, validity = VALID) {
      const key = keyPair();
      const extensions = [alternativeNames(names)];
      return toPem(key, certify({ subject: nameOf("server"), issuer: name, key, by: own, validity, extensions }));
    },
  };
}

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

function keyPair(): Pair {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

function toPem({ privateKey }: Pair, der: Buffer): Certificate {
  const lines = der.toString("base64").replace(/.{64}/g, "$&\n");
  return {
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

interface ToCertify {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly key: Pair;
  readonly by: Pair;
  readonly validity: [Date, Date];
  readonly extensions: readonly Buffer[];
}

let serial = 1;

/** X.509 version 3, RFC 5280. */
function certify({ subject, issuer, key, by, validity, extensions }: ToCertify): Buffer {
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial++])),
    ECDSA_WITH_SHA256,
    issuer,
    der(0x30, ...validity.map(timeOf)),
    subject,
    key.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, ...extensions)),
  );
  return der(0x30, body, ECDSA_WITH_SHA256, der(0x03, Buffer.from([0]), sign("sha256", body, by.privateKey)));
}

const ECDSA_WITH_SHA256 = der(0x30, oid("2a8648ce3d040302"));

function nameOf(common: string): Buffer {
  return der(0x30, der(0x31, der(0x30, oid("550403"), der(0x0c, Buffer.from(common)))));
}

function timeOf(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`));
}

function authority(): Buffer {
  return der(0x30, oid("551d13"), der(0x01, Buffer.from([0xff])), der(0x04, der(0x30, der(0x01, Buffer.from([0xff])))));
}

function alternativeNames({ dns = [], ip }: { readonly dns?: readonly string[]; readonly ip?: string }): Buffer {
  const names = dns.map((name) => der(0x82, Buffer.from(name)));
  const addresses = ip === undefined ? [] : [der(0x87, Buffer.from(ip.split(".").map(Number)))];
  return der(0x30, oid("551d11"), der(0x04, der(0x30, ...names, ...addresses)));
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, "hex"));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
