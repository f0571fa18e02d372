"""The model file: write and read. README.md documents every byte."""
import hashlib, json, struct
import numpy as np

MAGIC, VERSION = b"ANYTABLE", 1


def padded(raw, fill):
    return raw + fill * (-len(raw) % 8)


def write(file, header, vocabulary, vectors, scales):
    """`vectors`: int8, pieces × dims; `scales`: float32, one per piece."""
    words = "\n".join(vocabulary).encode()
    body, sections = b"", {}
    for name, raw in (("vocabulary", words), ("scales", scales.astype("<f4").tobytes()), ("vectors", vectors.astype(np.int8).tobytes())):
        sections[name] = {"offset": len(body), "length": len(raw)}
        body += padded(raw, b"\0")
    head = padded(json.dumps({**header, "pieces": len(vocabulary), "dims": int(vectors.shape[1]), "sections": sections}, ensure_ascii=False).encode(), b" ")
    raw = MAGIC + struct.pack("<II", VERSION, len(head)) + head + body
    with open(file, "wb") as out:
        out.write(raw + hashlib.sha256(raw).digest())
    return len(raw) + 32


def read(file):
    raw = open(file, "rb").read()
    version, length = struct.unpack("<II", raw[8:16])
    if raw[:8] != MAGIC or version != VERSION or hashlib.sha256(raw[:-32]).digest() != raw[-32:]:
        raise ValueError(f"{file} is not a whole model file of version {VERSION}.")
    header, start = json.loads(raw[16:16 + length]), 16 + length
    part = lambda name: raw[start + header["sections"][name]["offset"]:][:header["sections"][name]["length"]]
    vectors = np.frombuffer(part("vectors"), np.int8).reshape(header["pieces"], header["dims"])
    return header, part("vocabulary").decode().split("\n"), vectors, np.frombuffer(part("scales"), "<f4")
