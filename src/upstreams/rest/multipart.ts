import { randomUUID } from "node:crypto";
import { fieldsOf, type Filled } from "./form.js";
import { MAX_UPLOAD_BYTES, readUpload, type Upload, type UploadParts } from "./upload.js";
import { wrongArgument } from "./wrong-argument.js";

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+*-]+(?:\s*;\s*[\w-]+=(?:[\w.+/-]+|"[\w.+/ -]*"))*$/;

interface Part {
  readonly name: string;
  readonly bytes: Buffer;
  readonly filename?: string;
  readonly contentType?: string | undefined;
}

/** Encodes `multipart/form-data`. The boundary is random for each request, so that no value can contain it. */
export async function toMultipart(
  filled: readonly Filled[],
  uploads: UploadParts,
): Promise<{ contentType: string; bytes: Buffer }> {
  const boundary = `part-${randomUUID()}`;
  const parts: Part[] = [];
  let leftBytes = MAX_UPLOAD_BYTES;
  for (const each of filled) {
    if (!each.member.isFile) parts.push(...toFields(each));
    else
      for (const path of listOf(each.value)) {
        const part = await toFile(each.member, path, { ...uploads, leftBytes });
        leftBytes -= part.bytes.byteLength;
        parts.push(part);
      }
  }
  const chunks = parts.flatMap((part) => [
    Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`),
    part.bytes,
    Buffer.from("\r\n"),
  ]);
  const bytes = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes };
}

async function toFile(member: Filled["member"], path: unknown, uploads: UploadParts): Promise<Part> {
  const file = await readUpload(member.argument, path, uploads);
  return {
    name: member.name,
    bytes: file.bytes,
    filename: file.name,
    contentType: typeOf(file, member.contentType),
  };
}

function toFields({ member, value }: Filled): Part[] {
  const { name, argument, contentType } = member;
  return listOf(value).flatMap((each) => {
    const isJson = typeof each === "object" && each !== null && member.style === undefined;
    const type = contentType ?? (isJson ? "application/json" : undefined);
    return fieldsOf({ name, argument, ...how(member) }, each).map(([key, text]) => {
      if (!text.isWellFormed()) throw wrongArgument(argument, "contains an unpaired surrogate");
      return { name: key, bytes: Buffer.from(text), contentType: type };
    });
  });
}

function how({ style, explode }: Filled["member"]): Pick<Filled["member"], "style" | "explode"> {
  return { ...(style === undefined ? {} : { style }), ...(explode === undefined ? {} : { explode }) };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function typeOf(file: Upload, declared: string | undefined): string {
  const isOne = declared !== undefined && !/[*,]/.test(declared);
  return file.contentType ?? (isOne ? declared : "application/octet-stream");
}

function headOf({ name, filename, contentType }: Part): string {
  const file = filename === undefined ? "" : `; filename="${quote(filename)}"`;
  const type = contentType !== undefined && MEDIA_TYPE.test(contentType) ? `\r\nContent-Type: ${contentType}` : "";
  return `Content-Disposition: form-data; name="${quote(name)}"${file}${type}`;
}

/** Escapes as browsers do: a quote or a line break in a name cannot end the name early. */
function quote(text: string): string {
  return text
    .replace(/\r\n|\r|\n/g, "%0D%0A")
    .replaceAll('"', "%22")
    .replaceAll("\0", "");
}
