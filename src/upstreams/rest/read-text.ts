export async function readResponseBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  return (await readResponseBytes(body)).toString("utf8");
}
