import { readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { DiscoveryError } from "../../errors.js";
import type { ProxyEnvironment } from "./proxy.js";
import { readRegularFileSync } from "../regular-file.js";

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Whether an environment variable replaces or extends Node's certificate authorities. */
export function hasOwnAuthorities(env: ProxyEnvironment): boolean {
  return ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"].some((name) => (env[name] ?? "") !== "");
}

/**
 * Reads the certificate authorities set in the environment. As in OpenSSL, SSL_CERT_FILE and SSL_CERT_DIR replace those
 * of Node; as in Node, NODE_EXTRA_CA_CERTS adds to them. Undefined if no variable is set.
 */
export function readAuthorities(env: ProxyEnvironment): SecureContext | undefined {
  if (!hasOwnAuthorities(env)) return undefined;
  const replacing = [...fromFile("SSL_CERT_FILE", env), ...fromFolders("SSL_CERT_DIR", env)];
  const basis = replacing.length === 0 ? rootCertificates : replacing;
  const ca = [...new Set([...basis, ...fromFile("NODE_EXTRA_CA_CERTS", env)])];
  try {
    return createSecureContext({ ca });
  } catch (cause) {
    throw unusable("SSL_CERT_FILE, SSL_CERT_DIR or NODE_EXTRA_CA_CERTS", "contains an invalid certificate", cause);
  }
}

function fromFile(variable: string, env: ProxyEnvironment): string[] {
  const path = env[variable] ?? "";
  if (path === "") return [];
  try {
    const found = certificatesIn(readRegularFileSync(path));
    if (found.length > 0) return found;
  } catch (cause) {
    throw unusable(variable, `names ${path}, which cannot be read`, cause);
  }
  throw unusable(variable, `names ${path}, which contains no certificate in PEM format`);
}

function fromFolders(variable: string, env: ProxyEnvironment): string[] {
  return (env[variable] ?? "").split(delimiter).flatMap((folder) => {
    if (folder === "") return [];
    try {
      return readdirSync(folder).flatMap((name) => certificatesOf(join(folder, name)));
    } catch (cause) {
      throw unusable(variable, `names ${folder}, which cannot be read`, cause);
    }
  });
}

/**
 * Reads the certificates in a file. Returns none if the path is not a regular file or has no certificates: a folder of
 * certificates may also contain other files and broken links.
 */
function certificatesOf(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= MAX_FILE_BYTES ? certificatesIn(readRegularFileSync(path)) : [];
}

function certificatesIn(bytes: Buffer): string[] {
  return bytes.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

function unusable(variable: string, what: string, cause?: unknown): DiscoveryError {
  return new DiscoveryError("CONFIGURATION_ERROR", `The environment variable ${variable} ${what}.`, {
    hint: [
      { action: "set-variable", name: variable, value: "a valid value" },
      "Unset the variable to use the certificate authorities that come with Node.",
    ],
    facts: { variable },
    cause,
  });
}
