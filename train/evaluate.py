"""Evaluates a model file on the labelled sets: alone, fused with BM25F, in the haystack, unanswerable queries, languages.

usage: python evaluate.py BUILD MODEL.bin [cpu|cuda]"""
import os, sys
import torch
import bm25, modelfile
from measure import ALPHAS, Judge, languages, macro, table
from recipe import Embedder, read
from tokens import Pieces


def load(file, device="cpu"):
    header, vocabulary, vectors, scales = modelfile.read(file)
    fields = torch.tensor([field["weight"] for field in header["fields"]], device=device)
    return Embedder(Pieces(vocabulary), torch.tensor(vectors, device=device), torch.tensor(scales, device=device), fields, device)


if __name__ == "__main__":
    build, file, device = (sys.argv[1:] + ["cpu"])[:3]
    embedder = load(file, device)
    rows = Judge(read(build, "sets"), read(build, "haystack"), bm25.Ranker, device).judge(embedder.queries, embedder.tools)
    print(table(rows, os.path.basename(file)))
    for key in ("fused", "deep fused"):
        print(key, "by share of the table:", "  ".join(f"{alpha}: {'/'.join(f'{x:.3f}' for x in macro(rows, key, alpha))}" for alpha in ALPHAS))
    print("languages", languages(os.path.join(os.path.dirname(os.path.abspath(__file__)), "languages.json"), embedder.queries, embedder.tools))
